#include "text.h"

#include <iconv.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>

namespace vstream::reference {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr unsigned kBinary = 63;
constexpr unsigned kEnumOrSetFlag = 256 | 2048;

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

bool between(std::uint8_t byte, unsigned low, unsigned high) { return byte >= low && byte <= high; }

struct Sequence {
  std::size_t length;  // of the well-formed character, or of the ill-formed part that is replaced as a whole
  bool well_formed;
};

/// Reads one character (Unicode, table "Well-Formed UTF-8 Byte Sequences").
Sequence next_character(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {1, true};
  std::size_t length = 0;
  if (between(lead, 0xc2, 0xdf)) length = 2;
  if (between(lead, 0xe0, 0xef)) length = 3;
  if (between(lead, 0xf0, 0xf4)) length = 4;
  if (length == 0) return {1, false};
  // Only the second byte can have narrower limits.
  unsigned low = 0x80;
  unsigned high = 0xbf;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size() || !between(byte_at(text, i), low, high)) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true};
}

void append_code_point(std::string& out, unsigned code) {  // below U+10000
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// MySQL's latin1: Windows-1252, its five unassigned bytes as the C1 controls.
Text decode_latin1(std::string_view bytes) {
  static constexpr unsigned kHigh[32] = {0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                         0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                         0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                         0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};
  Text text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint8_t byte = byte_at(bytes, i);
    append_code_point(text.utf8, between(byte, 0x80, 0x9f) ? kHigh[byte - 0x80] : byte);
  }
  return text;
}

Text decode_ascii(std::string_view bytes) {
  Text text;
  for (char c : bytes) {
    const bool ascii = static_cast<std::uint8_t>(c) < 0x80;
    if (ascii) text.utf8 += c;
    if (!ascii) text.utf8 += kReplacement;
    text.lossy = text.lossy || !ascii;
  }
  return text;
}

/// What the C library calls some sets with which it agrees about every character.
const char* iconv_name(unsigned id) {
  static const std::map<unsigned, const char*> kNames = {{7, "KOI8-R"}, {13, "CP932"}, {51, "CP1251"}};
  const auto name = kNames.find(id);
  return name != kNames.end() ? name->second : nullptr;
}

Text decode_by_iconv(const char* name, std::string_view bytes) {
  const iconv_t converter = iconv_open("UTF-8", name);
  Text text;
  std::string in(bytes);
  char* from = in.data();
  std::size_t left = in.size();
  while (left > 0) {
    char out[4];
    char* to = out;
    std::size_t room = sizeof out;
    const std::size_t before = left;
    iconv(converter, &from, &left, &to, &room);
    text.utf8.append(out, to);
    if (left != before) continue;
    text.utf8 += kReplacement;
    text.lossy = true;
    ++from;
    --left;
  }
  iconv_close(converter);
  return text;
}

bool is_utf8_collation(unsigned id) {
  static const std::set<unsigned> kOthers = {33, 45, 46, 76, 83, 223, 1057, 1069, 1070, 1107, 1216, 1238, 1248, 1270};
  auto in = [id](unsigned first, unsigned last) { return id >= first && id <= last; };
  return kOthers.contains(id) || in(192, 215) || in(224, 247) || in(255, 323) || in(576, 578) || in(608, 610);
}

bool is_ascii_collation(unsigned id) { return std::set<unsigned>{11, 65, 1035, 1089}.contains(id); }

bool is_latin1_collation(unsigned id) {
  return std::set<unsigned>{5, 8, 15, 31, 47, 48, 49, 94, 1032, 1071}.contains(id);
}

/// What is left when the character set cannot be trusted or is not known: all or nothing.
Text whole_or_nothing(std::string_view bytes, bool may_be_utf8) {
  Text text = may_be_utf8 ? repair_utf8(bytes) : decode_ascii(bytes);
  if (text.lossy) text.utf8 = kReplacement;
  return text;
}

/// "varchar" of "varchar(40)", "int" of "int unsigned"; lower case.
std::string first_word(std::string_view column_type) {
  std::string word(column_type.substr(0, column_type.find_first_of("( ")));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

}  // namespace

Text repair_utf8(std::string_view bytes) {
  Text text;
  while (!bytes.empty()) {
    const Sequence next = next_character(bytes);
    text.utf8 += next.well_formed ? bytes.substr(0, next.length) : kReplacement;
    text.lossy = text.lossy || !next.well_formed;
    bytes.remove_prefix(next.length);
  }
  return text;
}

Text decode_text(const query::Field& field, std::string_view bytes) {
  const unsigned id = field.charset();
  const char* const foreign = iconv_name(id);
  const bool known =
      is_utf8_collation(id) || id == kBinary || is_latin1_collation(id) || is_ascii_collation(id) || foreign != nullptr;
  if (id == 0 || (known && field.column_type().empty())) return whole_or_nothing(bytes, is_utf8_collation(id));
  if (is_utf8_collation(id) || id == kBinary) return repair_utf8(bytes);
  if (is_latin1_collation(id)) return decode_latin1(bytes);
  if (is_ascii_collation(id)) return decode_ascii(bytes);
  if (foreign != nullptr) return decode_by_iconv(foreign, bytes);
  if (bytes.empty()) return {};
  return {std::string(kReplacement), true};
}

bool is_text_column(const query::Field& field) {
  static const std::set<std::string> kText = {"char",       "varchar",  "tinytext", "text",
                                              "mediumtext", "longtext", "enum",     "set"};
  static const std::set<std::string> kBytes = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"};
  const std::string word = first_word(field.column_type());
  if (kText.contains(word)) return true;
  if (kBytes.contains(word)) return false;
  if ((field.flags() & kEnumOrSetFlag) != 0) return true;
  if (field.charset() != kBinary) return true;
  switch (field.type()) {
    case query::CHAR:
    case query::VARCHAR:
    case query::TEXT:
    case query::ENUM:
    case query::SET: return true;
    default: return false;
  }
}

bool is_label_column(const query::Field& field) {
  const std::string word = first_word(field.column_type());
  if (word == "enum" || word == "set") return true;
  return field.type() == query::ENUM || field.type() == query::SET || (field.flags() & kEnumOrSetFlag) != 0;
}

std::string json_string(std::string_view utf8) {
  std::string out = "\"";
  for (char c : utf8) {
    switch (c) {
      case '"': out += "\\\""; continue;
      case '\\': out += "\\\\"; continue;
      case '\b': out += "\\b"; continue;
      case '\f': out += "\\f"; continue;
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < have ? byte_at(bytes, i + k) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= have ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace vstream::reference
