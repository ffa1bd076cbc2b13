#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vstream {

/// The bare name of the one table that a DDL statement is about: CREATE, ALTER, DROP or TRUNCATE of one table. None
/// when there may be others (RENAME, a list), or when it cannot be told.
std::optional<std::string> ddl_table(std::string_view statement);

}  // namespace vstream
