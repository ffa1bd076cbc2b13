#pragma once

#include <optional>

#include "stream/copy_plan.h"
#include "stream/shard_positions.h"
#include "vstream/error.h"

namespace vstream {

/// Keeps the position of a stream up to which all is done. An error ends the stream.
class PositionKeeper {
 public:
  PositionKeeper() = default;
  PositionKeeper(const PositionKeeper&) = delete;
  PositionKeeper& operator=(const PositionKeeper&) = delete;
  virtual ~PositionKeeper() = default;

  /// Where the stream begins: concrete positions of all shards, before anything was given to the sink. Both arguments
  /// stay where they are until ended() was called; `copy` has no value when no copy is under way.
  virtual Result<void> began(const ShardPositions& positions, const std::optional<CopyPlan>& copy) = 0;
  /// Everything up to the positions was given to the sink, and no part of anything else. Called after each finished
  /// transaction, and with each heartbeat.
  virtual Result<void> settled() = 0;
  /// The same, once, when nothing comes any more, also after an error.
  virtual Result<void> ended() = 0;
};

}  // namespace vstream
