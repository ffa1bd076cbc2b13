#include "simulator/scenario_table.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "simulator/sql_text.h"

namespace vstream::simulator {
namespace {

// Bits of Field.flags (Vitess' query.proto, MySqlFlag).
constexpr std::uint32_t kNotNull = 1, kPrimaryKey = 2, kUniqueKey = 4, kBlob = 16, kUnsigned = 32, kBinaryFlag = 128,
                        kEnumFlag = 256, kSetFlag = 2048, kNoDefault = 4096, kPartKey = 16384, kNumber = 32768;
// Collation ids: utf8mb4_0900_ai_ci, and binary for everything that is not text.
constexpr std::uint32_t kUtf8mb4 = 255, kBinaryCharset = 63;
constexpr std::uint32_t kBytesPerCharacter = 4;

struct ColumnType {
  std::string_view name;
  query::Type type;
  std::uint32_t length;  // characters of a text, bytes, or digits and signs; 0: what stands in parentheses
  std::uint32_t flags = 0;
  query::Type unsigned_type = query::NULL_TYPE;  // this: there is none
};

constexpr std::uint32_t kBinaryBlob = kBlob | kBinaryFlag;
constexpr auto kTypes = std::to_array<ColumnType>({
    {"tinyint", query::INT8, 4, kNumber, query::UINT8},
    {"smallint", query::INT16, 6, kNumber, query::UINT16},
    {"mediumint", query::INT24, 9, kNumber, query::UINT24},
    {"int", query::INT32, 11, kNumber, query::UINT32},
    {"bigint", query::INT64, 20, kNumber, query::UINT64},
    {"float", query::FLOAT32, 12, kNumber},
    {"double", query::FLOAT64, 22, kNumber},
    {"decimal", query::DECIMAL, 12, kNumber},
    {"date", query::DATE, 10, kBinaryFlag},
    {"datetime", query::DATETIME, 19, kBinaryFlag},
    {"timestamp", query::TIMESTAMP, 19, kBinaryFlag},
    {"time", query::TIME, 10, kBinaryFlag},
    {"year", query::YEAR, 4, kUnsigned | kNumber},
    {"bit", query::BIT, 0, kUnsigned},
    {"char", query::CHAR, 0},
    {"varchar", query::VARCHAR, 0},
    {"tinytext", query::TEXT, 255, kBlob},
    {"text", query::TEXT, 65'535, kBlob},
    {"mediumtext", query::TEXT, 16'777'215, kBlob},
    {"longtext", query::TEXT, UINT32_MAX, kBlob},
    {"enum", query::ENUM, 1, kEnumFlag},
    {"set", query::SET, 1, kSetFlag},
    {"binary", query::BINARY, 0, kBinaryFlag},
    {"varbinary", query::VARBINARY, 0, kBinaryFlag},
    {"tinyblob", query::BLOB, 255, kBinaryBlob},
    {"blob", query::BLOB, 65'535, kBinaryBlob},
    {"mediumblob", query::BLOB, 16'777'215, kBinaryBlob},
    {"longblob", query::BLOB, UINT32_MAX, kBinaryBlob},
    {"json", query::JSON, UINT32_MAX, kBinaryBlob},
});

bool is_text(query::Type type) {
  return type == query::CHAR || type == query::VARCHAR || type == query::TEXT || type == query::ENUM ||
         type == query::SET;
}

// The length in bytes of a text of so many characters.
std::uint32_t text_bytes(std::uint32_t characters) {
  return characters > UINT32_MAX / kBytesPerCharacter ? UINT32_MAX : characters * kBytesPerCharacter;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

// "varchar(40)", "enum('a b')": up to the parenthesis that is not in quotes, if there is one.
std::string_view take_type(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t end = text.find_first_of(" (");
  if (end != text.npos && text[end] == '(') {
    bool in_quotes = false;
    for (; end < text.size() && (in_quotes || text[end] != ')'); ++end) in_quotes ^= text[end] == '\'';
    end = std::min(end + 1, text.size());
  }
  std::string_view type = text.substr(0, end);
  text.remove_prefix(type.size());
  return type;
}

// What may follow a type, taken off the front. 0: something else.
std::uint32_t take_attribute(std::string_view& text) {
  std::string_view word = take_word(text);
  if (same_word(word, "unsigned")) return kUnsigned;
  if (same_word(word, "unique")) return kUniqueKey | kPartKey;
  if (same_word(word, "not")) return same_word(take_word(text), "null") ? kNotNull : 0;
  if (same_word(word, "primary")) return same_word(take_word(text), "key") ? kPrimaryKey | kNotNull | kPartKey : 0;
  return 0;
}

query::Field read_column(const JsonNode& node, const std::string& keyspace, const std::string& table) {
  query::Field field;
  const std::string column = node.text();
  std::string_view rest = column;
  std::string name(take_word(rest));
  std::string column_type(take_type(rest));
  std::string_view type_name = std::string_view(column_type).substr(0, column_type.find('('));
  auto type = std::ranges::find_if(kTypes, [&](const ColumnType& t) { return same_word(t.name, type_name); });
  if (type == kTypes.end()) {
    node.complain(fmt::format("\"{}\" has no type that is known: write \"id bigint primary key\"", column));
    return field;
  }
  std::uint32_t flags = type->flags;
  std::uint32_t length = type->length;
  if (length == 0 && type_name.size() < column_type.size()) {
    std::from_chars(column_type.data() + type_name.size() + 1, column_type.data() + column_type.size(), length);
  }
  while (rest.find_first_not_of(' ') != rest.npos) {
    std::uint32_t attribute = take_attribute(rest);
    if (attribute == 0) {
      node.complain(
          fmt::format("\"{}\" goes on with something that is none of unsigned, not null, primary key, unique", column));
      break;
    }
    flags |= attribute;
  }
  bool is_unsigned = (flags & kUnsigned) != 0 && type->unsigned_type != query::NULL_TYPE;
  if (is_unsigned) column_type += " unsigned";
  if ((flags & kNotNull) != 0) flags |= kNoDefault;
  field.set_name(name);
  field.set_type(is_unsigned ? type->unsigned_type : type->type);
  field.set_table(table);
  field.set_org_table(table);
  field.set_database("vt_" + keyspace);
  field.set_org_name(name);
  field.set_column_length(is_text(type->type) ? text_bytes(length) : length);
  field.set_charset(is_text(type->type) ? kUtf8mb4 : kBinaryCharset);
  field.set_flags(flags);
  field.set_column_type(column_type);
  return field;
}

std::optional<std::string> from_base64(const std::string& text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                             reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

Cell read_cell(const JsonNode& node, const query::Field& field) {
  const JsonNode::Json& json = node.json();
  if (json.is_null()) return std::nullopt;
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>() ? "1" : "0";
  if (json.is_number()) return json.dump();
  if (field.type() == query::JSON) return json.dump();
  auto base64 = node.need("base64");
  if (!base64) return std::nullopt;
  auto bytes = from_base64(base64->text());
  if (!bytes) base64->complain("this is no base64");
  return bytes;
}

}  // namespace

TableSchema read_table(const JsonNode& columns, const std::string& keyspace, const std::string& name) {
  TableSchema table{.keyspace = keyspace, .name = name, .fields = {}};
  for (const JsonNode& column : columns.items()) {
    table.fields.push_back(read_column(column, keyspace, name));
    query::Type type = table.fields.back().type();
    table.has_enum = table.has_enum || type == query::ENUM || type == query::SET;
  }
  if (table.fields.empty()) columns.complain("a table has at least one column: [\"id bigint primary key\"]");
  return table;
}

Row read_row(const JsonNode& node, const TableSchema& table) {
  Row row(table.fields.size());
  if (node.json().is_object()) {
    for (const auto& [key, value] : node.members()) {
      auto field = std::ranges::find(table.fields, key, &query::Field::name);
      if (field == table.fields.end()) {
        value.complain(fmt::format("the table \"{}\" has no column \"{}\"", table.name, key));
      } else {
        row[static_cast<std::size_t>(field - table.fields.begin())] = read_cell(value, *field);
      }
    }
    return row;
  }
  std::vector<JsonNode> cells = node.items();
  if (node.json().is_array() && cells.size() != row.size()) {
    node.complain(fmt::format("{} values for the {} columns of \"{}\"", cells.size(), row.size(), table.name));
    return row;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) row[i] = read_cell(cells[i], table.fields[i]);
  return row;
}

Cursor cursor_of(const TableSchema& table, const Row* row) {
  auto is_key = [](const query::Field& field) { return (field.flags() & kPrimaryKey) != 0; };
  bool has_key = std::ranges::any_of(table.fields, is_key);
  Cursor cursor;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const query::Field& field = table.fields[i];
    if (has_key && !is_key(field)) continue;
    query::Field& key = cursor.fields.emplace_back();
    key.set_name(field.name());
    key.set_type(field.type());
    key.set_charset(field.charset());
    key.set_flags(field.flags());
    if (row != nullptr) cursor.values.push_back((*row)[i]);
  }
  return cursor;
}

}  // namespace vstream::simulator
