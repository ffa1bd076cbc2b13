#include "stream/server_history.h"

namespace vstream {

Result<GtidSet> ask_executed(const SqlClient& sql, const std::string& target) {
  const auto rows = sql.query(target, "select @@global.gtid_executed");
  if (!rows) return std::unexpected(rows.error());
  auto executed = GtidSet::parse(rows->size() == 1 && rows->front().size() == 1 ? rows->front()[0] : "?");
  if (executed) return executed;
  return fail(ErrorCode::kDecode, "\"" + target + "\" does not say at which GTID it is");
}

std::optional<ServerHistory> ask_history(const SqlClient& sql, const std::string& target) {
  const auto rows = sql.query(target, "select @@global.gtid_executed, @@global.gtid_purged, @@global.server_uuid");
  if (!rows || rows->size() != 1 || rows->front().size() != 3) return std::nullopt;
  auto executed = GtidSet::parse(rows->front()[0]);
  auto purged = GtidSet::parse(rows->front()[1]);
  const auto server = Uuid::parse(rows->front()[2]);
  if (!executed || !purged || !server) return std::nullopt;
  return ServerHistory{.executed = *std::move(executed), .purged = *std::move(purged), .server = *server};
}

ShardHistories ask_streamed(const SqlClient& sql, const std::vector<Tablet>& tablets, const KeyspaceShard& shard,
                            TabletType type) {
  ShardHistories histories;
  for (const Tablet& tablet : tablets) {
    if (tablet.keyspace != shard.keyspace || tablet.shard != shard.shard || !tablet.serving) continue;
    if (tablet.type != tablet_type_name(type)) continue;
    // A target can name a tablet from v24 on; an older VTGate asks one of them.
    auto history = ask_history(sql, shard_target(shard, type) + "|" + tablet.alias);
    if (!history) {
      histories.complete = false;
      history = ask_history(sql, shard_target(shard, type));
    }
    if (history) histories.streamed.push_back(*std::move(history));
  }
  return histories;
}

ShardHistories ask_shard(const SqlClient& sql, const KeyspaceShard& shard, TabletType type) {
  const auto tablets = list_tablets(sql);
  if (!tablets) return {.complete = false};
  ShardHistories histories = ask_streamed(sql, *tablets, shard, type);
  histories.primary = ask_history(sql, shard_target(shard, TabletType::kPrimary));
  return histories;
}

}  // namespace vstream
