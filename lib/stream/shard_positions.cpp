#include "stream/shard_positions.h"

#include <algorithm>

namespace vstream {

bool is_concrete(std::string_view gtid) { return !gtid.empty() && gtid != "current"; }

bool ShardPositions::moved(std::string_view shard, std::string_view gtid) {
  const auto found = positions_.find(shard);
  if (found == positions_.end() || !is_concrete(gtid) || journaled_.contains(shard)) return false;
  if (found->second == gtid) return false;
  found->second = gtid;
  return true;
}

bool ShardPositions::journaled(std::string_view shard, const Journal& journal) {
  if (!follows(shard)) return false;
  journaled_.emplace(shard);
  const bool all = std::ranges::all_of(journal.participants, [&](const Participant& participant) {
    return !follows(participant.shard) || journaled_.contains(participant.shard);
  });
  if (!all) return false;
  for (const Participant& participant : journal.participants) {
    positions_.erase(participant.shard);
    journaled_.erase(participant.shard);
  }
  for (const ShardPosition& entering : journal.shards) positions_[entering.shard] = entering.gtid;
  return true;
}

Vgtid ShardPositions::vgtid(const std::string& keyspace) const {
  Vgtid vgtid;
  for (const auto& [shard, gtid] : positions_) {
    if (is_concrete(gtid)) vgtid.push_back({.keyspace = keyspace, .shard = shard, .gtid = gtid});
  }
  return vgtid;
}

}  // namespace vstream
