#include "encode/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "encode/json_string.h"

namespace vstream {
namespace {

// MySQL's column flags.
constexpr std::uint32_t kNotNull = 1;
constexpr std::uint32_t kPrimaryKey = 2;
constexpr std::uint32_t kEnum = 256;
constexpr std::uint32_t kSet = 2048;

struct TypeInfo {
  std::int32_t type;  // query.Type
  ValueKind kind;
  std::string_view name;
};

constexpr std::array kTypes = {
    TypeInfo{257, ValueKind::kInteger, "INT8"},
    TypeInfo{770, ValueKind::kInteger, "UINT8"},
    TypeInfo{259, ValueKind::kInteger, "INT16"},
    TypeInfo{772, ValueKind::kInteger, "UINT16"},
    TypeInfo{261, ValueKind::kInteger, "INT24"},
    TypeInfo{774, ValueKind::kInteger, "UINT24"},
    TypeInfo{263, ValueKind::kInteger, "INT32"},
    TypeInfo{776, ValueKind::kInteger, "UINT32"},
    TypeInfo{265, ValueKind::kInteger, "INT64"},
    TypeInfo{778, ValueKind::kInteger, "UINT64"},
    TypeInfo{785, ValueKind::kInteger, "YEAR"},
    TypeInfo{1035, ValueKind::kFloat, "FLOAT32"},
    TypeInfo{1036, ValueKind::kDouble, "FLOAT64"},
    TypeInfo{18, ValueKind::kDecimal, "DECIMAL"},
    TypeInfo{2061, ValueKind::kTimestamp, "TIMESTAMP"},
    TypeInfo{2062, ValueKind::kDateTime, "DATE"},
    TypeInfo{2063, ValueKind::kDateTime, "TIME"},
    TypeInfo{2064, ValueKind::kDateTime, "DATETIME"},
    TypeInfo{6163, ValueKind::kText, "TEXT"},
    TypeInfo{6165, ValueKind::kText, "VARCHAR"},
    TypeInfo{6167, ValueKind::kText, "CHAR"},
    TypeInfo{10260, ValueKind::kBase64, "BLOB"},
    TypeInfo{10262, ValueKind::kBase64, "VARBINARY"},
    TypeInfo{10264, ValueKind::kBase64, "BINARY"},
    TypeInfo{2073, ValueKind::kBit, "BIT"},
    TypeInfo{2074, ValueKind::kLabels, "ENUM"},
    TypeInfo{2075, ValueKind::kLabels, "SET"},
    TypeInfo{2077, ValueKind::kBase64, "GEOMETRY"},
    TypeInfo{2078, ValueKind::kJson, "JSON"},
    TypeInfo{2083, ValueKind::kVector, "VECTOR"},
};

const TypeInfo* find_type(std::int32_t type) {
  const auto* const info =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeInfo& t) { return t.type == type; });
  return info != kTypes.end() ? info : nullptr;
}

bool is_bytes_type(std::string_view name) { return name == "BLOB" || name == "VARBINARY" || name == "BINARY"; }
bool is_text_type(std::string_view name) { return name == "TEXT" || name == "VARCHAR" || name == "CHAR"; }

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The first word of a column_type says what the column is, whatever type its collation made of it.
std::optional<ValueKind> kind_of_column_type(std::string_view column_type) {
  const std::string_view word = column_type.substr(0, column_type.find_first_of("( "));
  if (any_of(word, {"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})) return ValueKind::kText;
  if (any_of(word, {"enum", "set"})) return ValueKind::kLabels;
  if (any_of(word, {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})) return ValueKind::kBase64;
  return std::nullopt;
}

ValueKind kind_of(const FieldView& field, const TypeInfo& info) {
  if (!is_bytes_type(info.name) && !is_text_type(info.name)) return info.kind;
  if (const auto kind = kind_of_column_type(field.column_type)) return *kind;
  if ((field.flags & (kEnum | kSet)) != 0) return ValueKind::kLabels;
  return charset_of_collation(field.charset) != Charset::kBinary || is_text_type(info.name) ? ValueKind::kText
                                                                                            : ValueKind::kBase64;
}

// Without a column_type (a table that lived for milliseconds) the collation cannot be trusted either.
Charset charset_of(const FieldView& field) {
  const Charset charset = charset_of_collation(field.charset);
  if (!field.column_type.empty()) return charset == Charset::kBinary ? Charset::kUnknown : charset;
  if (charset == Charset::kUtf8) return Charset::kDoubtfulUtf8;
  return charset == Charset::kBinary || is_ascii_compatible(charset) ? Charset::kUnknown : Charset::kUntranslated;
}

bool is_set_column(const FieldView& field, std::string_view type_name) {
  return type_name == "SET" || field.column_type.starts_with("set(") || (field.flags & kSet) != 0;
}

// BIT(n): whether it can hold more than a double can. Without a column_type it might.
bool is_big_bit(std::string_view column_type) {
  constexpr std::string_view kStart = "bit(";
  unsigned bits = 64;
  if (column_type.starts_with(kStart)) {
    std::from_chars(column_type.data() + kStart.size(), column_type.data() + column_type.size(), bits);
  }
  return bits > 53;
}

ValueKind with_form(const Column& column, const ValueForms& forms) {
  switch (column.kind) {
    case ValueKind::kInteger:
      if (column.type_name != "INT64" && column.type_name != "UINT64") return column.kind;
      return forms.bigint_string ? ValueKind::kIntegerString : ValueKind::kBigInteger;
    case ValueKind::kBit:
      if (!is_big_bit(column.column_type)) return column.kind;
      return forms.bigint_string ? ValueKind::kBitString : ValueKind::kBigBit;
    case ValueKind::kDecimal: return forms.decimal_number ? ValueKind::kDecimalNumber : column.kind;
    case ValueKind::kTimestamp: return forms.timestamp_raw ? ValueKind::kDateTime : column.kind;
    case ValueKind::kBase64: return forms.binary_hex ? ValueKind::kHex : column.kind;
    case ValueKind::kJson: return forms.json_string ? ValueKind::kJsonString : column.kind;
    case ValueKind::kLabels: return forms.set_array && column.is_set ? ValueKind::kLabelArray : column.kind;
    default: return column.kind;
  }
}

}  // namespace

std::vector<std::string> parse_labels(std::string_view column_type) {
  const std::size_t open = column_type.find('(');
  if (open == std::string_view::npos) return {};
  std::vector<std::string> labels;
  std::size_t i = open + 1;
  while (i < column_type.size() && column_type[i] == '\'') {
    std::string label;
    for (++i; i < column_type.size(); ++i) {
      const bool quote = column_type[i] == '\'';
      const bool doubled = i + 1 < column_type.size() && column_type[i + 1] == column_type[i];
      if (quote && !doubled) break;
      if (doubled && (quote || column_type[i] == '\\')) ++i;
      label += column_type[i];
    }
    labels.push_back(std::move(label));
    i += 2;  // the closing quote and the comma
  }
  return labels;
}

Result<Column> make_column(const FieldView& field, bool enum_set_string_values, const ValueForms& forms) {
  if (field.name.starts_with('@')) {
    return fail(ErrorCode::kDecode,
                fmt::format("cannot tell the column names: the server sent \"{}\" in place of a name", field.name),
                "the schema at this position is not known to the tablet (an ALTER ran since, and schema tracking was "
                "off); start from a later position, or copy the table again");
  }
  const TypeInfo* const info = find_type(field.type);
  if (info == nullptr) {
    return fail(ErrorCode::kDecode,
                fmt::format("cannot print column \"{}\": its type {} is unknown", field.name, field.type),
                "a newer vstream may know it");
  }
  Column column;
  column.name = field.name;
  column.key = json_string(field.name) + ":";
  column.kind = kind_of(field, *info);
  column.charset = charset_of(field);
  column.not_null = (field.flags & kNotNull) != 0;
  column.primary_key = (field.flags & kPrimaryKey) != 0;
  column.omitted_by_noblob = any_of(info->name, {"BLOB", "TEXT", "JSON", "GEOMETRY"});
  column.type_name = info->name;
  column.column_type = field.column_type;
  if (column.kind == ValueKind::kLabels) {
    column.is_set = is_set_column(field, info->name);
    column.numeric_labels = !enum_set_string_values;
    if (column.numeric_labels) column.labels = parse_labels(field.column_type);
  }
  column.kind = with_form(column, forms);
  return column;
}

}  // namespace vstream
