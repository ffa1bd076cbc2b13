#include "vtgate/column_charsets.h"

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

Result<ColumnCharsets> column_charsets(const SqlClient& sql, std::string_view keyspace, std::string_view table) {
  const auto rows = sql.query("", fmt::format("select table_name, column_name, character_set_name "
                                              "from information_schema.columns "
                                              "where table_schema = {} and table_name = {}",
                                              quoted_text(keyspace), quoted_text(table)));
  if (!rows) return std::unexpected(rows.error());
  ColumnCharsets charsets;
  for (const auto& row : *rows) {
    if (row.size() != 3) return fail(ErrorCode::kDecode, "cannot read the answer about a table's columns");
    // MySQL compares names as it was set up to: perhaps without regard to case.
    if (row[0] == table && !row[2].empty()) charsets.emplace(row[1], row[2]);
  }
  return charsets;
}

}  // namespace vstream
