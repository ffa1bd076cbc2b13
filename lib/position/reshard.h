#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vstream/error.h"
#include "vstream/position.h"

namespace vstream {

/// A shard that took part in a reshard.
struct Participant {
  std::string keyspace;
  std::string shard;

  friend auto operator<=>(const Participant&, const Participant&) = default;
};

/// What each old shard writes into its stream when a reshard switches traffic (binlogdata.Journal).
struct Journal {
  std::int64_t id = 0;                    ///< the same in the journal of every participant
  std::vector<Participant> participants;  ///< the old shards
  std::vector<ShardPosition> shards;      ///< the new shards and where each of them starts
};

/// A part of an old shard that went into a new one.
struct LineagePart {
  std::string shard;  ///< the old shard
  std::string range;  ///< the key range that came from it, e.g. "-40"

  friend bool operator==(const LineagePart&, const LineagePart&) = default;
};

/// Where the rows of a new shard come from.
struct ShardLineage {
  std::string shard;  ///< the new shard
  std::vector<LineagePart> from;

  friend bool operator==(const ShardLineage&, const ShardLineage&) = default;
};

/// Says for each new shard which key range of it comes from which old shard. New shards and their parts are ordered
/// by key range, whatever the journal's order was. Shards of different keyspaces have nothing in common.
/// Errors: kInvalidPosition, naming the shard whose name is not a key range.
Result<std::vector<ShardLineage>> lineage(const Journal& journal);

}  // namespace vstream
