#pragma once

#include <string>
#include <string_view>

#include "query.pb.h"

// The texts of the reference writer: character sets, JSON strings, base64. Slow and plain on purpose; it judges the
// encoder of the library and shares no code with it.
namespace vstream::reference {

/// A text in UTF-8. `lossy`: something could not be carried over and became U+FFFD.
struct Text {
  std::string utf8;
  bool lossy = false;
};

/// Each maximal subpart of an ill-formed sequence becomes one U+FFFD (Unicode, "Substitution of Maximal Subparts").
Text repair_utf8(std::string_view bytes);

/// The bytes of a text column, read in the column's own character set.
Text decode_text(const query::Field& field, std::string_view bytes);

/// True if the column holds text, false if it holds bytes: by column_type, then by character set, then by type.
bool is_text_column(const query::Field& field);

/// True if the column is an ENUM or a SET, whatever type its collation made of it.
bool is_label_column(const query::Field& field);

/// A JSON string with its quotes. `utf8` must be well-formed.
std::string json_string(std::string_view utf8);

std::string base64(std::string_view bytes);

}  // namespace vstream::reference
