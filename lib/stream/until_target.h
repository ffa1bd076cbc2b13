#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "vstream/error.h"
#include "vstream/position.h"
#include "vtgate/sql.h"
#include "vtgate/stream_call.h"

namespace vstream {

/// What the PRIMARY of each shard has executed now: the end of a stream that begins now. A shard that may not be asked
/// (table ACLs can forbid it) is streamed from `current` for a moment, and says its position first.
/// Errors: those of SqlClient::query and of the stream; kStreamBroken if a position does not come by `deadline`.
Result<Vgtid> executed_positions(const SqlClient& sql, StreamSource& streams, const std::string& keyspace,
                                 const std::vector<std::string>& shards, TimePoint deadline,
                                 const std::stop_token& stop);

}  // namespace vstream
