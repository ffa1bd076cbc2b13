#include "stream/until_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>

#include "stream/assembler.h"
#include "stream/server_history.h"
#include "stream/shard_positions.h"
#include "vtgate/topology.h"

namespace vstream {
namespace {

// The position of each shard's primary, which a stream that begins now tells at once, also when nothing is written.
Result<ShardPositions::Map> ask_by_stream(StreamSource& streams, const std::string& keyspace,
                                          const std::set<std::string>& shards, TimePoint deadline,
                                          const std::stop_token& stop) {
  vtgate::VStreamRequest request;
  request.set_tablet_type(topodata::PRIMARY);
  request.mutable_filter()->add_rules()->set_match("/.*/");
  for (const std::string& shard : shards) {
    binlogdata::ShardGtid& entry = *request.mutable_vgtid()->add_shard_gtids();
    entry.set_keyspace(keyspace);
    entry.set_shard(shard);
    entry.set_gtid("current");
  }
  const auto call = streams.open(request);
  const std::stop_callback wake_on_stop(stop, [&call] { call->wake(); });
  Assembler assembler({.emit = Lines(), .wants = [](std::string_view, std::string_view) { return false; }});
  ShardPositions::Map positions;
  while (positions.size() < shards.size()) {
    const auto outcome = call->next(deadline);
    if (outcome == StreamCall::Outcome::kEnded) return std::unexpected(call->error());
    if (outcome != StreamCall::Outcome::kResponse) {
      return fail(ErrorCode::kStreamBroken,
                  fmt::format("the primaries of keyspace \"{}\" did not say where they are", keyspace), "",
                  Retriable::kYes);
    }
    const auto read = assembler.consume(call->response(), [&](const Unit& unit) -> Result<bool> {
      if (is_concrete(unit.gtid) && shards.contains(std::string(unit.shard))) {
        positions.try_emplace(std::string(unit.shard), unit.gtid);
      }
      return true;
    });
    if (!read) return std::unexpected(read.error());
  }
  return positions;
}

}  // namespace

Result<Vgtid> executed_positions(const SqlClient& sql, StreamSource& streams, const std::string& keyspace,
                                 const std::vector<std::string>& shards, TimePoint deadline,
                                 const std::stop_token& stop) {
  ShardPositions::Map positions;
  std::set<std::string> silent;
  for (const std::string& shard : shards) {
    const auto set = ask_executed(sql, shard_target({.keyspace = keyspace, .shard = shard}, TabletType::kPrimary));
    if (!set && set.error().retriable == Retriable::kYes) return std::unexpected(set.error());
    if (set) {
      positions[shard] = "MySQL56/" + set->to_string();
    } else {
      silent.insert(shard);
    }
  }
  if (!silent.empty()) {
    auto told = ask_by_stream(streams, keyspace, silent, deadline, stop);
    if (!told) return std::unexpected(std::move(told.error()));
    positions.merge(*told);
  }
  return ShardPositions(std::move(positions)).vgtid(keyspace);
}

}  // namespace vstream
