// Text in MySQL's character sets becomes UTF-8. That the tables are whole and right is shown on a real MySQL
// (tests/vitess/test_charsets.py); here, that they are read right.
#include "encode/charset.h"

#include <iconv.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <string>
#include <string_view>

#include "encode/column.h"

using namespace vstream;  // NOLINT(google-build-using-namespace): the test is about it
using namespace std::string_view_literals;

namespace {

// The text, with an exclamation mark when something was lost.
std::string plain(Charset charset, std::string_view bytes) {
  Buffer out;
  const TextFidelity fidelity = append_plain_text(out, bytes, charset);
  return std::string(out.view()) + (fidelity == TextFidelity::kLossy ? "!" : "");
}

std::string json(Charset charset, std::string_view bytes) {
  Buffer out;
  append_text(out, bytes, charset);
  return std::string(out.view());
}

// What the C library makes of bytes that are whole characters; empty if it cannot.
std::string by_iconv(const char* name, std::string bytes) {
  const iconv_t converter = iconv_open("UTF-8", name);
  std::string out(bytes.size() * 4, '\0');
  char* from = bytes.data();
  char* to = out.data();
  std::size_t left = bytes.size();
  std::size_t room = out.size();
  const bool done = iconv(converter, &from, &left, &to, &room) == 0 && left == 0;
  iconv_close(converter);
  out.resize(done ? out.size() - room : 0);
  return out;
}

}  // namespace

TEST_CASE("D10: text is read in its column's own character set") {
  CHECK(plain(charset_of_collation(8), "\xe9") == "é");
  CHECK(plain(charset_of_collation(255), "\xf0\x9f\x98\x80") == "😀");
  CHECK(plain(charset_of_collation(54), "\x20\xac\xd8\x3d\xde\x00"sv) == "€😀");
  CHECK(charset_of_collation(63) == Charset::kBinary);
  CHECK(plain(Charset::kUtf16le, "\xac\x20\x3d\xd8\x00\xde"sv) == "€😀");
  CHECK(plain(Charset::kUtf32, "\0\0\0\x41\0\x10\xff\xff"sv) == "A\U0010ffff");
  CHECK(plain(Charset::kUcs2, "\x4e\x2d\0\x41"sv) == "中A");
  CHECK(plain(Charset::kGbk, "\xd6\xd0\xce\xc4 a") == "中文 a");
  CHECK(plain(Charset::kBig5, "\xa4\xa4\xa4\xe5 a") == "中文 a");
  CHECK(plain(Charset::kGb18030, "\xd6\xd0\x94\x39\xfc\x36\x81\x30\x81\x30") == "中😀\u0080");
  CHECK(plain(Charset::kGb18030, "\x84\x31\xa4\x37") == "\ufffd");  // a real one: nothing is lost
  CHECK(plain(Charset::kTis620, "\xe4\xb7\xc2") == "ไทย");
  CHECK(plain(Charset::kSjis, "\x93\xfa\x96\x7b\xb1\\") == "日本ｱ\\");
  CHECK(plain(Charset::kCp932, "\x87\x40\xfb\xfc") == "①髙");
  CHECK(plain(Charset::kUjis, "\xc6\xfc\x8e\xb1\x8f\xb0\xa1") == "日ｱ丂");
  CHECK(plain(Charset::kEucjpms, "\xad\xa1\x8f\xb0\xa1") == "①丂");
  CHECK(plain(Charset::kEuckr, "\xc7\xd1\x81\x41") == "한갂");
  CHECK(plain(Charset::kCp1251, "\xcf\xf0") == "Пр");
  CHECK(plain(Charset::kHp8, "\xc9") == "è");
  CHECK(plain(Charset::kKeybcs2, "\x88") == "ě");
  CHECK(plain(Charset::kGeostd8, "\xc0") == "ა");
}

TEST_CASE("swe7 has letters where ASCII has signs") {
  CHECK(plain(Charset::kSwe7, "[\\]{|}@`^~ A_9") == "ÄÖÅäöåÉéÜü A_9");
  CHECK_FALSE(is_ascii_compatible(Charset::kSwe7));
  CHECK_FALSE(is_ascii_compatible(Charset::kUcs2));
  CHECK(is_ascii_compatible(Charset::kSjis));
}

TEST_CASE("what a set does not have becomes one U+FFFD for each character, and is told") {
  CHECK(plain(Charset::kCp1251, "a\x98z") == "a\ufffdz!");
  CHECK(plain(Charset::kAscii, "a\x80\xff") == "a\ufffd\ufffd!");
  CHECK(plain(Charset::kSwe7, "\x7f") == "\ufffd!");
  CHECK(plain(Charset::kTis620, "\xff") == "\ufffd!");      // in MySQL's own table
  CHECK(plain(Charset::kGbk, "\xa1\x40z") == "\ufffdz!");   // two bytes, though the second is an @
  CHECK(plain(Charset::kUjis, "\xf4\xfez") == "\ufffdz!");  // a whole row without characters
  CHECK(plain(Charset::kUjis, "\x8f\xa1\xa1z") == "\ufffdz!");
  CHECK(plain(Charset::kGb18030, "\xff") == "\ufffd!");
  CHECK(plain(Charset::kGb18030, "\xe3\x32\x9a\x36z") == "\ufffdz!");  // beyond U+10FFFF
}

TEST_CASE("bytes that are no characters take nothing that follows with them") {
  for (const Charset charset : {Charset::kGbk, Charset::kBig5, Charset::kSjis, Charset::kCp932, Charset::kUjis,
                                Charset::kEucjpms, Charset::kEuckr, Charset::kGb2312, Charset::kGb18030}) {
    CHECK(plain(charset, "\x88\"z") == "\ufffd\"z!");
    CHECK(plain(charset, "a\x88") == "a\ufffd!");
    CHECK(plain(charset, "\x8f\xa1\"").find('"') != std::string::npos);
  }
  CHECK(plain(Charset::kUtf16, "\xd8\x3d\0A"sv) == "\ufffdA!");
  CHECK(plain(Charset::kUtf16, "\xde\0\0A"sv) == "\ufffdA!");
  CHECK(plain(Charset::kUtf16, "\0AB"sv) == "A\ufffd!");
  CHECK(plain(Charset::kUcs2, "\xd8\x3d\xde\0"sv) == "\ufffd\ufffd!");
  CHECK(plain(Charset::kUtf32, "\0\x11\0\0\0\0\xd8\0\0\0"sv) == "\ufffd\ufffd\ufffd!");
}

TEST_CASE("text of any length and set is escaped as UTF-8 is") {
  CHECK(json(Charset::kUtf16, "\0\"\0\\\0\n\0\x7f\x20\x28"sv) == "\"\\\"\\\\\\n\\u007f\u2028\"");
  CHECK(json(Charset::kSwe7, "\"\\") == "\"\\\"Ö\"");
  std::string bytes;
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    bytes += "\xd6\xd0\"";
    text += "中\\\"";
  }
  CHECK(json(Charset::kGbk, bytes) == '"' + text + '"');
}

TEST_CASE("sets that the C library knows, too, have the same characters") {
  struct Both {
    Charset charset;
    const char* name;
    int first;
  };
  const auto both = GENERATE(from_range(std::vector<Both>{{Charset::kCp1250, "CP1250", 0},
                                                          {Charset::kCp1251, "CP1251", 0},
                                                          {Charset::kCp1256, "CP1256", 0},
                                                          {Charset::kCp1257, "CP1257", 0},
                                                          {Charset::kCp850, "CP850", 0},
                                                          {Charset::kCp852, "CP852", 0},
                                                          {Charset::kKoi8r, "KOI8-R", 0},
                                                          {Charset::kLatin2, "ISO-8859-2", 0},
                                                          {Charset::kLatin5, "ISO-8859-9", 0},
                                                          {Charset::kLatin7, "ISO-8859-13", 0},
                                                          {Charset::kEuckr, "UHC", 0x8141},
                                                          {Charset::kGbk, "CP936", 0xb0a1},
                                                          {Charset::kGb18030, "GB18030", 0xb0a1}}));
  INFO(both.name);
  int compared = 0;
  for (int code = both.first; code < (both.first == 0 ? 0x100 : 0xfe00); ++code) {
    std::string bytes(1, static_cast<char>(code & 0xff));
    if (both.first != 0) bytes.insert(0, 1, static_cast<char>(code >> 8));
    const std::string ours = plain(both.charset, bytes);
    const std::string theirs = by_iconv(both.name, bytes);
    if (ours.ends_with('!') || theirs.empty()) continue;
    ++compared;
    if (ours != theirs) FAIL_CHECK(code << ": " << ours << ", C library: " << theirs);
  }
  CHECK(compared > (both.first == 0 ? 200 : 9000));
}

TEST_CASE("every name that MySQL has is known, and no other") {
  CHECK(charset_of_name("gb18030") == Charset::kGb18030);
  CHECK(charset_of_name("utf8mb3") == Charset::kUtf8);
  CHECK(charset_of_name("armscii8") == Charset::kArmscii8);
  CHECK(charset_of_name("ujis") == Charset::kUjis);
  CHECK(charset_of_name("GBK") == Charset::kUntranslated);
  CHECK(charset_of_name("") == Charset::kUntranslated);
  CHECK(charset_of_collation(0) == Charset::kUnknown);
  CHECK(charset_of_collation(700) == Charset::kUntranslated);
}

TEST_CASE("a field without a column_type is not believed, and its bytes are not taken for ASCII where they are not") {
  const auto column = [](std::uint32_t collation) {
    return make_column({.name = "c", .type = 6165, .charset = collation, .flags = 0, .column_type = ""}, true).value();
  };
  CHECK(plain(column(255).charset, "é") == "é");
  CHECK(plain(column(8).charset, "\xe9") == "\ufffd!");
  CHECK(plain(column(8).charset, "e") == "e");
  CHECK(plain(column(54).charset, "\0e"sv) == "\ufffd!");
  CHECK(plain(column(10).charset, "[") == "\ufffd!");
  CHECK_FALSE(column(0).charset_is_open());
}
