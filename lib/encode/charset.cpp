#include "encode/charset.h"

#include <array>

#include "base/utf8.h"
#include "encode/character_decoders.h"
#include "encode/charset_tables.h"
#include "encode/json_string.h"

namespace vstream {
namespace {

using namespace characters;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// In the order of the enum, from kArmscii8 on.
constexpr std::array kTables = {
    &kArmscii8, &kAscii,  &kBig5,     &kCp1250,  &kCp1251, &kCp1256,  &kCp1257, &kCp850,  &kCp852,
    &kCp866,    &kCp932,  &kDec8,     &kEucjpms, &kEuckr,  &kGb18030, &kGb2312, &kGbk,    &kGeostd8,
    &kGreek,    &kHebrew, &kHp8,      &kKeybcs2, &kKoi8r,  &kKoi8u,   &kLatin1, &kLatin2, &kLatin5,
    &kLatin7,   &kMacce,  &kMacroman, &kSjis,    &kSwe7,   &kTis620,  &kUjis,
};
static_assert(kTables.size() ==
              static_cast<std::size_t>(Charset::kUjis) - static_cast<std::size_t>(Charset::kArmscii8) + 1);

bool has_table(Charset charset) { return charset >= Charset::kArmscii8; }

const CharacterTable& table_of(Charset charset) {
  return *kTables[static_cast<std::size_t>(charset) - static_cast<std::size_t>(Charset::kArmscii8)];
}

// How UTF-8 is put into `out`: escaped, or as it is.
using Put = void (*)(Buffer& out, std::string_view utf8);

void append_as_it_is(Buffer& out, std::string_view utf8) { out.append(utf8); }

char* write_utf8(char* to, char32_t c) {
  if (c < 0x80) {
    *to++ = static_cast<char>(c);
    return to;
  }
  if (c < 0x800) {
    *to++ = static_cast<char>(0xc0 | c >> 6U);
  } else {
    if (c < 0x10000) {
      *to++ = static_cast<char>(0xe0 | c >> 12U);
    } else {
      *to++ = static_cast<char>(0xf0 | c >> 18U);
      *to++ = static_cast<char>(0x80 | (c >> 12U & 0x3f));
    }
    *to++ = static_cast<char>(0x80 | (c >> 6U & 0x3f));
  }
  *to++ = static_cast<char>(0x80 | (c & 0x3f));
  return to;
}

// Decodes into a small piece of UTF-8 at a time, so that `put` can work in wide steps.
template <Put put, typename Decode>
TextFidelity append_decoded(Buffer& out, std::string_view bytes, Decode decode) {
  TextFidelity fidelity = TextFidelity::kExact;
  std::array<char, 512> piece;
  char* to = piece.data();
  const char* const full = piece.data() + piece.size() - 4;
  while (!bytes.empty()) {
    const Decoded next = decode(bytes);
    bytes.remove_prefix(next.length);
    if (next.character == kNone) fidelity = TextFidelity::kLossy;
    to = write_utf8(to, next.character != kNone ? next.character : char32_t{kNoCharacter});
    if (to <= full) continue;
    put(out, {piece.data(), to});
    to = piece.data();
  }
  put(out, {piece.data(), to});
  return fidelity;
}

template <Put put>
TextFidelity append_by_table(Buffer& out, std::string_view bytes, const CharacterTable& table) {
  if (table.ascii == 0x80) {
    const std::size_t ascii = ascii_prefix(bytes);
    put(out, bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty()) return TextFidelity::kExact;
  }
  return append_decoded<put>(out, bytes, Tabled{table});
}

// The length of the sequence at the front of `bytes`: valid, or the longest beginning of a valid one (at least 1).
struct Sequence {
  std::size_t length;
  bool valid;
};

Sequence sequence_at(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const std::size_t wanted = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (wanted < 2) return {1, wanted == 1};
  // The second byte is narrower after some leads: no overlong forms, no surrogates, nothing above U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i >= bytes.size()) return {i, false};
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte < (i == 1 ? low : 0x80) || byte > (i == 1 ? high : 0xbf)) return {i, false};
  }
  return {wanted, true};
}

template <Put put>
TextFidelity append_utf8(Buffer& out, std::string_view bytes) {
  if (is_valid_utf8(bytes)) {
    put(out, bytes);
    return TextFidelity::kExact;
  }
  while (!bytes.empty()) {
    const Sequence sequence = sequence_at(bytes);
    if (sequence.valid) {
      put(out, bytes.substr(0, sequence.length));
    } else {
      out.append(kReplacement);
    }
    bytes.remove_prefix(sequence.length);
  }
  return TextFidelity::kLossy;
}

template <Put put>
TextFidelity append_whole_or_nothing(Buffer& out, std::string_view bytes, bool trusted) {
  if (trusted) {
    put(out, bytes);
    return TextFidelity::kExact;
  }
  out.append(kReplacement);
  return TextFidelity::kLossy;
}

template <Put put>
TextFidelity append_inside(Buffer& out, std::string_view bytes, Charset charset) {
  if (has_table(charset)) return append_by_table<put>(out, bytes, table_of(charset));
  switch (charset) {
    case Charset::kUtf8: return append_utf8<put>(out, bytes);
    case Charset::kDoubtfulUtf8: return append_whole_or_nothing<put>(out, bytes, is_valid_utf8(bytes));
    case Charset::kUtf16: return append_decoded<put>(out, bytes, Utf16<Endian::kBig>());
    case Charset::kUtf16le: return append_decoded<put>(out, bytes, Utf16<Endian::kLittle>());
    case Charset::kUcs2: return append_decoded<put>(out, bytes, Ucs2());
    case Charset::kUtf32: return append_decoded<put>(out, bytes, Utf32());
    case Charset::kUnknown: return append_whole_or_nothing<put>(out, bytes, ascii_prefix(bytes) == bytes.size());
    default: return append_whole_or_nothing<put>(out, bytes, bytes.empty());
  }
}

}  // namespace

bool is_ascii_compatible(Charset charset) {
  if (has_table(charset)) return table_of(charset).ascii == 0x80;
  return charset == Charset::kUtf8 || charset == Charset::kDoubtfulUtf8 || charset == Charset::kUnknown;
}

TextFidelity append_text(Buffer& out, std::string_view bytes, Charset charset) {
  out.push('"');
  const TextFidelity fidelity = append_inside<append_escaped>(out, bytes, charset);
  out.push('"');
  return fidelity;
}

TextFidelity append_plain_text(Buffer& out, std::string_view bytes, Charset charset) {
  return append_inside<append_as_it_is>(out, bytes, charset);
}

}  // namespace vstream
