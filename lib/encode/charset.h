#pragma once

#include <cstdint>
#include <string_view>

#include "encode/buffer.h"

namespace vstream {

/// How the bytes of a text column become UTF-8.
enum class Charset : std::uint8_t {
  kUtf8,          ///< utf8mb4, utf8mb3
  kDoubtfulUtf8,  ///< said to be UTF-8 on a field without column_type: printed if it is valid as a whole
  kUtf16,         ///< big-endian
  kUtf16le,
  kUcs2,  ///< big-endian
  kUtf32,
  kBinary,        ///< not text
  kUnknown,       ///< VTGate did not say (it sends 0 for gbk, big5, gb18030, tis620): only plain ASCII can be trusted
  kUntranslated,  ///< not even that

  // Those that have a table, in the order of their names.
  kArmscii8,
  kAscii,
  kBig5,
  kCp1250,
  kCp1251,
  kCp1256,
  kCp1257,
  kCp850,
  kCp852,
  kCp866,
  kCp932,
  kDec8,
  kEucjpms,
  kEuckr,
  kGb18030,
  kGb2312,
  kGbk,
  kGeostd8,
  kGreek,
  kHebrew,
  kHp8,
  kKeybcs2,
  kKoi8r,
  kKoi8u,
  kLatin1,  ///< MySQL's: cp1252, its five holes are C1 controls
  kLatin2,
  kLatin5,
  kLatin7,
  kMacce,
  kMacroman,
  kSjis,
  kSwe7,
  kTis620,
  kUjis,
};

/// The character set of a MySQL collation id (go/mysql/collations/mysqlversion.go in Vitess): kUnknown for 0,
/// kUntranslated for an id that is not known.
Charset charset_of_collation(std::uint32_t collation);
/// The same for MySQL's name of a character set, as information_schema has it; kUntranslated for another.
Charset charset_of_name(std::string_view name);

/// True if bytes below 0x80 are ASCII, wherever they stand alone.
bool is_ascii_compatible(Charset charset);

/// Writes `bytes` as a JSON string in UTF-8: what MySQL's CONVERT(… USING utf8mb4) makes of them, but for characters
/// that the set or Unicode does not have, which become U+FFFD (MySQL: a question mark). The result tells whether that
/// happened. Allocates nothing but the buffer's growth.
enum class TextFidelity : std::uint8_t { kExact, kLossy };
TextFidelity append_text(Buffer& out, std::string_view bytes, Charset charset);
/// The same without quotes and escapes: UTF-8 itself.
TextFidelity append_plain_text(Buffer& out, std::string_view bytes, Charset charset);

}  // namespace vstream
