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

/// What the table of values says about bytes that are not NULL. The error says what cannot be decoded.
std::expected<Value, std::string> value_to_json(const query::Field& field, std::string_view bytes);

}  // namespace vstream::reference
