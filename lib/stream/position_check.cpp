#include "stream/position_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "position/position.h"

namespace vstream {
namespace {

constexpr std::string_view kWaysOut = "start again with --from copy, or from a newer position";

// Long sets are told by their beginning.
std::string shortened(const std::string& gtid) { return gtid.size() <= 120 ? gtid : gtid.substr(0, 117) + "..."; }

std::unexpected<Error> lost(const ShardPosition& position, std::string_view why, std::string hint) {
  auto error = fail(ErrorCode::kPositionLost,
                    fmt::format("the position of shard \"{}/{}\" is lost: {} (position {})", position.keyspace,
                                position.shard, why, shortened(position.gtid)),
                    std::move(hint));
  error.error().keyspace = position.keyspace;
  error.error().shard = position.shard;
  return error;
}

// True if the shard can be streamed from there, false if that is not known.
Result<bool> check_shard(const SqlClient& sql, const std::vector<Tablet>& tablets, const ShardPosition& position,
                         TabletType type, const LogHook& log) {
  const KeyspaceShard shard{.keyspace = position.keyspace, .shard = position.shard};
  const ShardHistories answers = ask_streamed(sql, tablets, shard, type);
  const auto parsed = Position::parse(position.gtid);
  if (!parsed || parsed->flavor != "MySQL56") return !answers.streamed.empty();
  const auto any = [&](Servable verdict) {
    return std::any_of(answers.streamed.begin(), answers.streamed.end(),
                       [&](const ServerHistory& server) { return judge(parsed->set, server) == verdict; });
  };
  if (answers.streamed.empty() || any(Servable::kYes)) return !answers.streamed.empty();
  if (!any(Servable::kAhead)) {
    if (answers.complete) {
      return lost(position, fmt::format("every {} tablet has purged binlogs that it needs", tablet_type_name(type)),
                  std::string(kWaysOut));
    }
    log(LogLevel::kWarning, fmt::format("a {} tablet of shard \"{}/{}\" has purged binlogs that the position needs",
                                        tablet_type_name(type), position.keyspace, position.shard));
    return false;
  }
  const auto primary = ask_history(sql, shard_target(shard, TabletType::kPrimary));
  if (primary && !primary->executed.contains(parsed->set)) {
    return lost(
        position, "it holds transactions that the shard's primary has never had",
        fmt::format("is it of this cluster? Transactions that were lost in a failover never come back; {}", kWaysOut));
  }
  auto behind = fail(ErrorCode::kStreamBroken,
                     fmt::format("no {} tablet of shard \"{}/{}\" has reached the position yet", tablet_type_name(type),
                                 position.keyspace, position.shard),
                     "", Retriable::kYes);
  // VTGate would try each tablet once and then look for another one for 90 s.
  if (primary && answers.complete) return behind;
  log(LogLevel::kWarning, behind.error().message);
  return false;
}

}  // namespace

Servable judge(const GtidSet& position, const ServerHistory& server) {
  if (!server.executed.contains(position)) return Servable::kAhead;
  return position.contains(server.purged) ? Servable::kYes : Servable::kPurged;
}

Result<std::set<std::string>> check_positions(const SqlClient& sql, const std::vector<Tablet>& tablets,
                                              const Vgtid& positions, TabletType type, const LogHook& log) {
  std::set<std::string> servable;
  for (const ShardPosition& position : positions) {
    const auto checked = check_shard(sql, tablets, position, type, log);
    if (!checked) return std::unexpected(checked.error());
    if (*checked) servable.insert(position.shard);
  }
  return servable;
}

Result<Vgtid> current_positions(const SqlClient& sql, const std::string& keyspace,
                                const std::vector<std::string>& shards, TabletType type) {
  Vgtid positions;
  for (const std::string& shard : shards) {
    const auto executed = ask_executed(sql, shard_target({.keyspace = keyspace, .shard = shard}, type));
    if (!executed) return std::unexpected(executed.error());
    if (executed->empty()) {
      return fail(ErrorCode::kDecode, fmt::format("the {} tablet of shard \"{}/{}\" does not say at which GTID it is",
                                                  tablet_type_name(type), keyspace, shard));
    }
    positions.push_back({.keyspace = keyspace, .shard = shard, .gtid = "MySQL56/" + executed->to_string()});
  }
  return positions;
}

}  // namespace vstream
