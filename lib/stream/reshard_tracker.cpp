#include "stream/reshard_tracker.h"

#include <algorithm>

namespace vstream {

Journal to_journal(const JournalView& view) {
  Journal journal{.id = view.id, .participants = {}, .shards = {}};
  for (const KeyspaceShardView& participant : view.participants) {
    journal.participants.push_back(
        {.keyspace = std::string(participant.keyspace), .shard = std::string(participant.shard)});
  }
  for (const ShardGtidView& shard : view.shard_gtids) {
    journal.shards.push_back(
        {.keyspace = std::string(shard.keyspace), .shard = std::string(shard.shard), .gtid = std::string(shard.gtid)});
  }
  // The journals of one reshard list them in any order.
  std::ranges::sort(journal.participants);
  std::ranges::sort(journal.shards, {}, &ShardPosition::shard);
  return journal;
}

bool ReshardTracker::journaled(const Journal& journal, std::string_view keyspace, std::string_view shard) {
  if (complete_.contains(journal.id)) return false;
  std::set<Participant>& seen = journaled_[journal.id];
  seen.insert({.keyspace = std::string(keyspace), .shard = std::string(shard)});
  const bool all = std::all_of(journal.participants.begin(), journal.participants.end(),
                               [&](const Participant& participant) { return seen.contains(participant); });
  if (!all) return false;
  journaled_.erase(journal.id);
  complete_.insert(journal.id);
  return true;
}

}  // namespace vstream
