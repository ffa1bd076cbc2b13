#include "vtgate/column_collations.h"

#include <fmt/format.h>

namespace vstream {
namespace {

// As a string of VTGate's SQL.
std::string quoted_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') literal += c;
    literal += c;
  }
  return literal + "'";
}

}  // namespace

Result<ColumnCollations> column_collations(const SqlClient& sql, std::string_view keyspace, std::string_view table) {
  const auto rows = sql.query("", fmt::format("select table_name, column_name, collation_name "
                                              "from information_schema.columns "
                                              "where table_schema = {} and table_name = {}",
                                              quoted_text(keyspace), quoted_text(table)));
  if (!rows) return std::unexpected(rows.error());
  ColumnCollations collations;
  for (const auto& row : *rows) {
    if (row.size() != 3) return fail(ErrorCode::kDecode, "cannot read the answer about a table's columns");
    // MySQL compares names as it was set up to: perhaps without regard to case.
    if (row[0] == table && !row[2].empty()) collations.emplace(row[1], row[2]);
  }
  return collations;
}

}  // namespace vstream
