#pragma once

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

  /// Everything up to these positions was given to the sink, and no part of anything else. During a copy they are not
  /// where a new stream could begin. Called after each finished transaction, and with each heartbeat. `positions` stays
  /// where it is until ended() was called.
  virtual Result<void> settled(const ShardPositions& positions, bool copying) = 0;
  /// The same, once, when nothing comes any more, also after an error.
  virtual Result<void> ended(const ShardPositions& positions, bool copying) = 0;
};

}  // namespace vstream
