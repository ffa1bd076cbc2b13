#pragma once

#include <map>
#include <string>

#include "stream/copy_plan.h"
#include "stream/selection.h"
#include "vstream/tail.h"
#include "vtgate.pb.h"

namespace vstream {

/// The position of every streamed shard: what the next request names. "current" or "" until the shard has reported.
using ShardPositions = std::map<std::string, std::string, std::less<>>;

/// The request for the copy's current table: name-only entries for every shard, rules for the finished tables and it.
vtgate::VStreamRequest make_copy_request(const TailOptions& options, const Selection& selection,
                                         const ShardPositions& positions, const CopyPlan& plan);

/// The request that streams on from the positions.
vtgate::VStreamRequest make_stream_request(const TailOptions& options, const Selection& selection,
                                           const ShardPositions& positions);

}  // namespace vstream
