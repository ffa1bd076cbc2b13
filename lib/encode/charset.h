#pragma once

#include <cstdint>
#include <string_view>

#include "encode/buffer.h"

namespace vstream {

/// How the bytes of a text column become UTF-8.
enum class Charset : std::uint8_t {
  kUtf8,          ///< utf8mb4, utf8mb3
  kAscii,         ///< ascii
  kLatin1,        ///< MySQL's latin1: cp1252, its five holes are C1 controls
  kBinary,        ///< not text
  kUnknown,       ///< VTGate did not say (it sends 0 for gbk, big5, gb18030, tis620): only plain ASCII can be trusted
  kDoubtfulUtf8,  ///< said to be UTF-8 on a field without column_type: printed if it is valid as a whole
  kUntranslated   ///< known, but there is no table for it yet: never printed as it is
};

/// The character set of a MySQL collation id (go/mysql/collations/mysqlversion.go in Vitess).
Charset charset_of_collation(std::uint32_t collation);

/// Writes `bytes` as a JSON string in UTF-8. What cannot be translated becomes U+FFFD; the result tells whether
/// that happened.
enum class TextFidelity : std::uint8_t { kExact, kLossy };
TextFidelity append_text(Buffer& out, std::string_view bytes, Charset charset);
/// The same without quotes and escapes: UTF-8 itself.
TextFidelity append_plain_text(Buffer& out, std::string_view bytes, Charset charset);

}  // namespace vstream
