#pragma once

#include <string>

#include "stream/copy_plan.h"
#include "stream/selection.h"
#include "stream/shard_positions.h"
#include "vstream/tail.h"
#include "vtgate.pb.h"

namespace vstream {

/// The request for the copy's current table: the plan's entry for every shard, rules for the finished tables and it.
vtgate::VStreamRequest make_copy_request(const TailOptions& options, const Selection& selection,
                                         const ShardPositions::Map& positions, const CopyPlan& plan);

/// The request that streams on from the positions.
vtgate::VStreamRequest make_stream_request(const TailOptions& options, const Selection& selection,
                                           const ShardPositions::Map& positions);

/// The rules in their order, for people.
std::string filter_to_string(const binlogdata::Filter& filter);

}  // namespace vstream
