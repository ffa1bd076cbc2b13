#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace vstream {

/// True if the text is well-formed UTF-8 (no surrogates, no overlong forms). Long texts go through simdjson.
bool is_valid_utf8_slow(std::string_view text);

/// The number of bytes before the first one that is not ASCII.
inline std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;
  for (std::uint64_t word = 0; i + 8 <= text.size(); i += 8) {
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

/// As is_valid_utf8_slow, quick for the short ASCII names that events are full of.
inline bool is_valid_utf8(std::string_view text) {
  return ascii_prefix(text) == text.size() || is_valid_utf8_slow(text);
}

}  // namespace vstream
