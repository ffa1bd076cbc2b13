#include "encode/charset.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "encode/json_string.h"

namespace vstream {
namespace {

struct CollationRange {
  std::uint32_t first;
  std::uint32_t last;
  Charset charset;
};

constexpr std::array kCollations = {
    CollationRange{5, 5, Charset::kLatin1},       CollationRange{8, 8, Charset::kLatin1},
    CollationRange{11, 11, Charset::kAscii},      CollationRange{15, 15, Charset::kLatin1},
    CollationRange{31, 31, Charset::kLatin1},     CollationRange{33, 33, Charset::kUtf8},
    CollationRange{45, 46, Charset::kUtf8},       CollationRange{47, 49, Charset::kLatin1},
    CollationRange{63, 63, Charset::kBinary},     CollationRange{65, 65, Charset::kAscii},
    CollationRange{76, 76, Charset::kUtf8},       CollationRange{83, 83, Charset::kUtf8},
    CollationRange{94, 94, Charset::kLatin1},     CollationRange{192, 215, Charset::kUtf8},
    CollationRange{223, 247, Charset::kUtf8},     CollationRange{255, 323, Charset::kUtf8},
    CollationRange{576, 578, Charset::kUtf8},     CollationRange{608, 610, Charset::kUtf8},
    CollationRange{1032, 1032, Charset::kLatin1}, CollationRange{1035, 1035, Charset::kAscii},
    CollationRange{1057, 1057, Charset::kUtf8},   CollationRange{1069, 1070, Charset::kUtf8},
    CollationRange{1071, 1071, Charset::kLatin1}, CollationRange{1089, 1089, Charset::kAscii},
    CollationRange{1107, 1107, Charset::kUtf8},   CollationRange{1216, 1216, Charset::kUtf8},
    CollationRange{1238, 1238, Charset::kUtf8},   CollationRange{1248, 1248, Charset::kUtf8},
    CollationRange{1270, 1270, Charset::kUtf8},
};

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// cp1252's 0x80 … 0x9f.
constexpr std::array<char16_t, 32> kLatin1High = {0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                  0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
                                                  0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                  0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

void append_code_point(Buffer& out, char32_t c) {
  char* p = out.room(4);
  if (c < 0x800) {
    *p++ = static_cast<char>(0xc0 | (c >> 6));
  } else {
    *p++ = static_cast<char>(0xe0 | (c >> 12));
    *p++ = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  }
  *p++ = static_cast<char>(0x80 | (c & 0x3f));
  out.end_at(p);
}

// How UTF-8 is put into `out`: escaped, or as it is.
using Put = void (*)(Buffer& out, std::string_view utf8);

void append_as_it_is(Buffer& out, std::string_view utf8) { out.append(utf8); }

template <Put put>
void append_latin1(Buffer& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t ascii = ascii_prefix(bytes);
    put(out, bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty()) return;
    const auto byte = static_cast<unsigned char>(bytes.front());
    append_code_point(out, byte < 0xa0 ? kLatin1High[byte - 0x80U] : char32_t{byte});
    bytes.remove_prefix(1);
  }
}

template <Put put>
TextFidelity append_ascii(Buffer& out, std::string_view bytes) {
  TextFidelity fidelity = TextFidelity::kExact;
  while (!bytes.empty()) {
    const std::size_t ascii = ascii_prefix(bytes);
    put(out, bytes.substr(0, ascii));
    bytes.remove_prefix(ascii);
    if (bytes.empty()) break;
    out.append(kReplacement);
    bytes.remove_prefix(1);
    fidelity = TextFidelity::kLossy;
  }
  return fidelity;
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
  switch (charset) {
    case Charset::kUtf8: return append_utf8<put>(out, bytes);
    case Charset::kAscii: return append_ascii<put>(out, bytes);
    case Charset::kLatin1: append_latin1<put>(out, bytes); return TextFidelity::kExact;
    case Charset::kUnknown: return append_whole_or_nothing<put>(out, bytes, ascii_prefix(bytes) == bytes.size());
    case Charset::kDoubtfulUtf8: return append_whole_or_nothing<put>(out, bytes, is_valid_utf8(bytes));
    case Charset::kBinary:
    case Charset::kUntranslated: return append_whole_or_nothing<put>(out, bytes, bytes.empty());
  }
  return TextFidelity::kLossy;
}

}  // namespace

Charset charset_of_collation(std::uint32_t collation) {
  if (collation == 0) return Charset::kUnknown;
  const auto* const range = std::find_if(kCollations.begin(), kCollations.end(), [&](const CollationRange& r) {
    return r.first <= collation && collation <= r.last;
  });
  return range != kCollations.end() ? range->charset : Charset::kUntranslated;
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
