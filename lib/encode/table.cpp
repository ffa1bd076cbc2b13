#include "encode/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "encode/json_string.h"

namespace vstream {

std::string_view bare_table_name(std::string_view table_name, std::string_view keyspace) {
  if (table_name.size() > keyspace.size() && table_name.starts_with(keyspace) && table_name[keyspace.size()] == '.') {
    table_name.remove_prefix(keyspace.size() + 1);
  }
  return table_name;
}

bool same_columns(const Table& a, const Table& b) {
  return std::ranges::equal(a.columns, b.columns, [](const Column& x, const Column& y) {
    return x.name == y.name && x.type_name == y.type_name && x.column_type == y.column_type &&
           x.primary_key == y.primary_key;
  });
}

Result<Table> make_table(const FieldEventView& field_event, const ValueForms& forms) {
  Table table;
  table.keyspace = field_event.keyspace;
  table.shard = field_event.shard;
  table.name = bare_table_name(field_event.table_name, field_event.keyspace);
  table.is_internal = field_event.is_internal_table;
  table.head = ",\"keyspace\":" + json_string(table.keyspace) + ",\"shard\":" + json_string(table.shard) +
               ",\"table\":" + json_string(table.name);
  const auto named = [&](Error error) {
    error.message =
        fmt::format("table \"{}\" on shard \"{}/{}\": {}", table.name, table.keyspace, table.shard, error.message);
    error.keyspace = table.keyspace;
    error.shard = table.shard;
    return std::unexpected(std::move(error));
  };
  std::unordered_set<std::string_view> names;
  table.columns.reserve(field_event.fields.size());
  for (const FieldView& field : field_event.fields) {
    auto column = make_column(field, field_event.enum_set_string_values, forms);
    if (!column) return named(std::move(column.error()));
    if (!names.insert(field.name).second) {
      return named({.code = ErrorCode::kDecode, .message = fmt::format("two columns are named \"{}\"", field.name)});
    }
    table.has_key |= column->primary_key;
    table.columns.push_back(*std::move(column));
  }
  return table;
}

}  // namespace vstream
