#include "encode/json_string.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace vstream {
namespace {

constexpr std::uint64_t every(unsigned char byte) { return 0x0101010101010101U * byte; }

// A set top bit marks a byte that equals `byte` (bytes above it may be marked too: enough to ask "any?").
constexpr std::uint64_t equals(std::uint64_t word, unsigned char byte) {
  const std::uint64_t x = word ^ every(byte);
  return (x - every(0x01)) & ~x & every(0x80);
}

constexpr bool needs_escape(std::uint64_t word) {
  const std::uint64_t control = (word - every(0x20)) & ~word & every(0x80);
  return (control | equals(word, '"') | equals(word, '\\') | equals(word, 0x7f)) != 0;
}

// 0: stays; 'u': \u00xx; else the letter after the backslash.
constexpr std::array<char, 256> kEscape = [] {
  std::array<char, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = 'u';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  table[0x7f] = 'u';
  return table;
}();

char* escape_byte(char* to, char c) {
  const char letter = kEscape[static_cast<unsigned char>(c)];
  if (letter == 0) {
    *to++ = c;
    return to;
  }
  *to++ = '\\';
  *to++ = letter;
  if (letter != 'u') return to;
  constexpr std::string_view kHex = "0123456789abcdef";
  *to++ = '0';
  *to++ = '0';
  *to++ = kHex[static_cast<unsigned char>(c) >> 4U];
  *to++ = kHex[static_cast<unsigned char>(c) & 15U];
  return to;
}

// Escapes from `from` to `to`, which has room for six times as much.
char* escape(const char* from, const char* end, char* to) {
  while (end - from >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    if (!needs_escape(word)) {
      std::memcpy(to, &word, 8);
      to += 8;
    } else {
      for (int i = 0; i < 8; ++i) to = escape_byte(to, from[i]);
    }
    from += 8;
  }
  while (from != end) to = escape_byte(to, *from++);
  return to;
}

// Large texts are escaped piece by piece, so that no six-fold room is taken for megabytes.
constexpr std::size_t kPiece = 16384;

}  // namespace

void append_escaped(Buffer& out, std::string_view utf8) {
  while (!utf8.empty()) {
    const std::string_view piece = utf8.substr(0, kPiece);
    char* const to = out.room(piece.size() * 6);
    out.end_at(escape(piece.data(), piece.data() + piece.size(), to));
    utf8.remove_prefix(piece.size());
  }
}

void append_json_string(Buffer& out, std::string_view utf8) {
  out.push('"');
  append_escaped(out, utf8);
  out.push('"');
}

std::string json_string(std::string_view utf8) {
  Buffer out;
  append_json_string(out, utf8);
  return std::string(out.view());
}

}  // namespace vstream
