#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

// Small helpers for reading the texts of positions.
namespace vstream {

/// The value of a hexadecimal digit in either case, -1 for anything else.
inline int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Without the ASCII white space at both ends. Points into `text`.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// In quotes for an error message; a long text is cut.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 64;
  if (text.size() <= kMost) return fmt::format("\"{}\"", text);
  return fmt::format("\"{}…\"", text.substr(0, kMost));
}

}  // namespace vstream
