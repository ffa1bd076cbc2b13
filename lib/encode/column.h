#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encode/charset.h"
#include "vstream/error.h"
#include "vstream/value_forms.h"
#include "vtgate/response.h"

namespace vstream {

/// How a column's bytes are printed.
enum class ValueKind : std::uint8_t {
  kInteger,
  kBigInteger,     ///< may be beyond ±2^53, which is told
  kIntegerString,  ///< the same as a string: nothing to tell
  kDecimal,
  kDecimalNumber,
  kFloat,
  kDouble,
  kDateTime,  ///< DATE, DATETIME, TIME, raw TIMESTAMP: the text as it is
  kTimestamp,
  kText,
  kLabels,      ///< ENUM, SET
  kLabelArray,  ///< SET
  kBase64,
  kHex,
  kJson,
  kJsonString,
  kBit,
  kBigBit,  ///< these two as integers
  kBitString,
  kVector,
};

/// One column of a table, made once per FIELD event so that rows cost nothing but their values.
struct Column {
  std::string name = {};
  std::string key = {};  ///< `"name":`, escaped
  ValueKind kind = ValueKind::kText;
  Charset charset = Charset::kUtf8;
  bool not_null = false;
  bool primary_key = false;
  bool omitted_by_noblob = false;  ///< BLOB, TEXT, JSON, GEOMETRY: what binlog_row_image=NOBLOB leaves out
  bool is_set = false;
  bool numeric_labels = false;           ///< the server sends ENUM and SET as numbers in the binlog (Vitess before v20)
  std::vector<std::string> labels = {};  ///< of such a column, from its column_type, in UTF-8
  std::string type_name = {};            ///< "VARCHAR", for the `fields` line
  std::string column_type = {};

  bool is_json() const { return kind == ValueKind::kJson || kind == ValueKind::kJsonString; }
  /// True if it is text in a character set that VTGate did not tell, which information_schema may know.
  bool charset_is_open() const {
    return (kind == ValueKind::kText || kind == ValueKind::kLabels) && !column_type.empty() &&
           (charset == Charset::kUnknown || charset == Charset::kUntranslated);
  }
};

/// Decides kind and character set of a column: by column_type, then collation, then type, because a `_bin` collation
/// makes text columns arrive as type BINARY, VARBINARY or BLOB. `forms` are decided here, once, and cost rows nothing.
/// Errors: kDecode for a field named `@1`, `@2` … (the server does not know the columns at this position) and for a
/// type that is not a MySQL column's.
Result<Column> make_column(const FieldView& field, bool enum_set_string_values, const ValueForms& forms = {});

/// The labels in `enum('a','it''s')` or `set(…)`; empty if the text is not of that form.
std::vector<std::string> parse_labels(std::string_view column_type);

}  // namespace vstream
