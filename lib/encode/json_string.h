#pragma once

#include <string>
#include <string_view>

#include "encode/buffer.h"

namespace vstream {

/// Writes `utf8` escaped for the inside of a JSON string, without quotes: `"`, `\`, control characters and DEL are
/// escaped, everything else stays as it is. `utf8` must be valid UTF-8 for the line to be.
void append_escaped(Buffer& out, std::string_view utf8);

/// The same with quotes around it.
void append_json_string(Buffer& out, std::string_view utf8);

/// The same as a string of its own, for texts that are made once.
std::string json_string(std::string_view utf8);

}  // namespace vstream
