#pragma once

#include <map>
#include <string>
#include <string_view>

#include "vstream/error.h"
#include "vtgate/sql.h"

namespace vstream {

/// The collations of a table's text columns ("gbk_chinese_ci"), by column.
using ColumnCollations = std::map<std::string, std::string, std::less<>>;

/// Asks information_schema.columns, which VTGate sends to a primary of the keyspace. No such table: an empty answer.
/// Errors: those of SqlClient::query; kDecode for an answer of another shape.
Result<ColumnCollations> column_collations(const SqlClient& sql, std::string_view keyspace, std::string_view table);

}  // namespace vstream
