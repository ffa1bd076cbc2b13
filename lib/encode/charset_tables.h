#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The characters of MySQL's character sets that are not Unicode's own, as MySQL itself translates them: the tables in
/// charsets/ are made of its answers by scripts/charset_tables.py.
namespace vstream {

/// What stands in a table where there is no character.
inline constexpr char16_t kNoCharacter = 0xfffd;

/// Characters of consecutive bytes.
struct CharacterRow {
  std::uint8_t first = 0;  ///< byte
  std::u16string_view characters = {};

  char16_t at(std::uint8_t byte) const {
    const std::size_t i = std::size_t{byte} - first;  // a huge number below the first
    return i < characters.size() ? characters[i] : kNoCharacter;
  }
};

/// Four-byte characters of gb18030 from the one with this number on, up to the next run's: their code points are
/// consecutive, too. Sequence 81 30 81 30 has number 0, 81 30 81 31 number 1.
struct QuadRun {
  std::uint32_t first;
  char32_t code_point;  ///< 0: none of them is a character
};

/// A character set whose characters are one byte, two bytes, or more.
struct CharacterTable {
  std::uint8_t ascii = 0x80;                   ///< bytes below this one stand for themselves
  CharacterRow singles = {};                   ///< other characters of one byte
  std::uint8_t first_lead = 0;                 ///< of two bytes
  std::span<const CharacterRow> pairs = {};    ///< by lead byte: the second bytes; without a character: an empty row
  std::string_view trails = {};                ///< what a second byte can be: first, last, first, last …
  std::span<const CharacterRow> triples = {};  ///< of three bytes 8f a1 … …, by the second one
  std::span<const QuadRun> quads = {};         ///< of four bytes
};

extern const CharacterTable kArmscii8, kAscii, kCp1250, kCp1251, kCp1256, kCp1257, kCp850, kCp852, kCp866, kDec8,
    kGeostd8, kGreek, kHebrew, kHp8, kKeybcs2, kKoi8r, kKoi8u, kLatin1, kLatin2, kLatin5, kLatin7, kMacce, kMacroman,
    kSwe7, kTis620, kBig5, kCp932, kEucjpms, kEuckr, kGb18030, kGb2312, kGbk, kSjis, kUjis;

}  // namespace vstream
