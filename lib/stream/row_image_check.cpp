#include "stream/row_image_check.h"

#include <fmt/format.h>

#include <string>

namespace vstream {

bool logs_whole_rows(const SqlClient& sql, const KeyspaceShard& shard, const LogHook& log) {
  const auto answer = sql.query(shard_target(shard, TabletType::kPrimary),
                                "select @@global.binlog_row_image, @@global.binlog_row_value_options");
  if (!answer || answer->size() != 1 || answer->front().size() != 2) {
    log(LogLevel::kWarning,
        fmt::format("could not learn whether shard \"{}/{}\" logs whole rows: a NULL in a BLOB, TEXT, JSON or GEOMETRY "
                    "column of a BEFORE image is taken for a missing value{}",
                    shard.keyspace, shard.shard, answer ? "" : " (" + answer.error().message + ")"));
    return false;
  }
  const std::string& image = answer->front()[0];
  const std::string& options = answer->front()[1];
  if (image == "FULL" && options.empty()) return true;
  log(LogLevel::kWarning,
      fmt::format("the primary of shard \"{}/{}\" has binlog_row_image {}{}: rows will miss columns", shard.keyspace,
                  shard.shard, image, options.empty() ? "" : " and binlog_row_value_options " + options));
  return false;
}

}  // namespace vstream
