#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "encode/charset_tables.h"

/// Reads one character after the other. Each decoder is called with at least one byte and takes at least one.
namespace vstream::characters {

inline constexpr char32_t kNone = 0xffffffff;

/// What stands at the front of some bytes: a character, or kNone; and how many bytes it takes.
struct Decoded {
  char32_t character;
  std::size_t length;
};

inline std::uint8_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

inline bool is_trail(const CharacterTable& table, std::uint8_t byte) {
  for (std::size_t i = 0; i < table.trails.size(); i += 2) {
    if (byte >= byte_at(table.trails, i) && byte <= byte_at(table.trails, i + 1)) return true;
  }
  return false;
}

inline Decoded character_or_none(char16_t character, std::size_t length) {
  return {character != kNoCharacter ? char32_t{character} : kNone, length};
}

inline char32_t quad_at(const CharacterTable& table, std::string_view bytes) {
  const std::uint32_t number = ((byte_at(bytes, 0) - 0x81U) * 10 + (byte_at(bytes, 1) - 0x30U)) * 1260 +
                               (byte_at(bytes, 2) - 0x81U) * 10 + (byte_at(bytes, 3) - 0x30U);
  const auto after = std::ranges::upper_bound(table.quads, number, {}, &QuadRun::first);
  if (after == table.quads.begin() || std::prev(after)->code_point == 0) return kNone;
  return std::prev(after)->code_point + (number - std::prev(after)->first);
}

inline bool is_digit(std::uint8_t byte) { return byte >= 0x30 && byte <= 0x39; }
inline bool is_lead(std::uint8_t byte) { return byte > 0x80 && byte < 0xff; }

// Longer characters, those that the set does not have, and what is no character: one byte of it, as MySQL skips it.
inline Decoded decode_rare(const CharacterTable& table, std::string_view bytes) {
  const std::uint8_t lead = byte_at(bytes, 0);
  const std::uint8_t second = byte_at(bytes, 1);
  if (!table.triples.empty() && lead == 0x8f && bytes.size() >= 3 && is_trail(table, second) &&
      is_trail(table, byte_at(bytes, 2))) {
    const std::size_t row = second - 0xa1U;
    return character_or_none(row < table.triples.size() ? table.triples[row].at(byte_at(bytes, 2)) : kNoCharacter, 3);
  }
  if (!table.quads.empty() && bytes.size() >= 4 && is_lead(lead) && is_digit(second) && is_lead(byte_at(bytes, 2)) &&
      is_digit(byte_at(bytes, 3))) {
    return {quad_at(table, bytes), 4};
  }
  return {kNone, is_lead(lead) && is_trail(table, second) ? std::size_t{2} : 1};
}

/// The characters of a set that has a table.
struct Tabled {
  const CharacterTable& table;

  Decoded operator()(std::string_view bytes) const {
    const std::uint8_t byte = byte_at(bytes, 0);
    if (byte < table.ascii) return {byte, 1};
    const char16_t single = table.singles.at(byte);
    if (single != kNoCharacter || bytes.size() < 2) return character_or_none(single, 1);
    const std::size_t row = std::size_t{byte} - table.first_lead;
    const char16_t pair = row < table.pairs.size() ? table.pairs[row].at(byte_at(bytes, 1)) : kNoCharacter;
    return pair != kNoCharacter ? Decoded{pair, 2} : decode_rare(table, bytes);
  }
};

inline bool is_surrogate(char32_t c) { return c >= 0xd800 && c < 0xe000; }

enum class Endian : std::uint8_t { kBig, kLittle };

template <Endian endian>
char32_t unit_at(std::string_view bytes, std::size_t i) {
  constexpr std::size_t kHigh = endian == Endian::kBig ? 0 : 1;
  return char32_t{byte_at(bytes, i + kHigh)} << 8U | byte_at(bytes, i + 1 - kHigh);
}

struct Ucs2 {
  Decoded operator()(std::string_view bytes) const {
    if (bytes.size() < 2) return {kNone, bytes.size()};
    const char32_t unit = unit_at<Endian::kBig>(bytes, 0);
    return {is_surrogate(unit) ? kNone : unit, 2};
  }
};

template <Endian endian>
struct Utf16 {
  Decoded operator()(std::string_view bytes) const {
    if (bytes.size() < 2) return {kNone, bytes.size()};
    const char32_t unit = unit_at<endian>(bytes, 0);
    if (!is_surrogate(unit)) return {unit, 2};
    if (unit >= 0xdc00 || bytes.size() < 4) return {kNone, 2};
    const char32_t low = unit_at<endian>(bytes, 2);
    if (low < 0xdc00 || low > 0xdfff) return {kNone, 2};
    return {0x10000 + ((unit - 0xd800) << 10U | (low - 0xdc00)), 4};
  }
};

struct Utf32 {
  Decoded operator()(std::string_view bytes) const {
    if (bytes.size() < 4) return {kNone, bytes.size()};
    const char32_t c = unit_at<Endian::kBig>(bytes, 0) << 16U | unit_at<Endian::kBig>(bytes, 2);
    return {c > 0x10ffff || is_surrogate(c) ? kNone : c, 4};
  }
};

}  // namespace vstream::characters
