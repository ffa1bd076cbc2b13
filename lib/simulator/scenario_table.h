#pragma once

#include <string>

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// A table from its columns as SQL writes them: ["id bigint primary key", "name varchar(40) not null"]. Of what may
/// follow the type, `unsigned`, `not null`, `primary key` and `unique` are known. Texts are utf8mb4.
TableSchema read_table(const JsonNode& columns, const std::string& keyspace, const std::string& name);

/// A row of the table: its values as a list in the order of the columns, or as an object, where a column that is
/// missing is NULL. Numbers and texts stand for themselves, true and false for 1 and 0, {"base64": "…"} for bytes; in
/// a JSON column lists and objects are the document.
Row read_row(const JsonNode& row, const TableSchema& table);

/// The values of the columns that a copy's cursor has: those of the primary key, of all if there is none. All columns'
/// fields come with them.
struct Cursor {
  std::vector<query::Field> fields;
  Row values;  ///< empty if `row` is null
};
Cursor cursor_of(const TableSchema& table, const Row* row);

}  // namespace vstream::simulator
