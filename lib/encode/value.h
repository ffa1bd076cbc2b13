#pragma once

#include <cstdint>
#include <string_view>

#include "encode/buffer.h"
#include "encode/column.h"
#include "encode/json_document.h"

namespace vstream {

/// Where a row comes from. ENUM and SET labels are in the column's character set in a copy, and in UTF-8 in the binlog
/// (the tablet takes them from column_type); both seen on Vitess 24.0.4.
enum class Phase : std::uint8_t { kCopy, kBinlog };

/// What a reader of the line must be told about a value.
enum class ValueNote : std::uint8_t {
  kNone,
  kBase64,        ///< the string is base64 of bytes
  kLossy,         ///< the value is not exactly what is stored
  kJsonNull,      ///< `null` is the JSON document null, not SQL NULL
  kBeyondDouble,  ///< a number that readers may round: an integer beyond ±2^53
  kInvalid        ///< the bytes are no value of that type; nothing was written
};

/// Writes single values (never NULL). Not synchronised: keep one per thread.
class ValueWriter {
 public:
  /// As JSON.
  ValueNote write(Buffer& out, const Column& column, std::string_view bytes, Phase phase);
  /// The same value as plain text: strings without quotes and escapes, bytes as they are (kBase64 is never noted).
  ValueNote write_plain(Buffer& out, const Column& column, std::string_view bytes, Phase phase);

 private:
  ValueNote write_json(Buffer& out, std::string_view text);
  ValueNote write_label_array(Buffer& out, const Column& column, std::string_view bytes, Phase phase);

  JsonChecker json_;
  Buffer labels_;
};

}  // namespace vstream
