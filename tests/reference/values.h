#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "query.pb.h"

namespace vstream::reference {

/// A column's value as JSON text, and which of a line's lists name the column because of it.
struct Value {
  std::string json;
  bool base64 = false;
  bool lossy = false;
  bool json_null = false;
};

/// What the table of values says about bytes that are not NULL. `copied`: the row comes from a copy, where ENUM and SET
/// labels are in the column's character set; in the binlog they are UTF-8. The error says what cannot be decoded.
std::expected<Value, std::string> value_to_json(const query::Field& field, std::string_view bytes, bool copied);

}  // namespace vstream::reference
