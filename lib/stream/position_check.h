#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "position/gtid_set.h"
#include "stream/server_history.h"
#include "vstream/log.h"
#include "vstream/tail.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {

/// What a server can do for a stream from a position.
enum class Servable : std::uint8_t {
  kYes,
  kPurged,  ///< transactions after the position are gone from its binlogs
  kAhead    ///< the position holds transactions that it has not had
};
Servable judge(const GtidSet& position, const ServerHistory& server);

/// Asks whether the positions can be served, because VTGate does not tell: it hunts 90 s for a tablet and then says
/// that there is none. Every serving tablet of the streamed type is asked; what is ahead of all of them is looked for
/// on the primary. Returns the shards that can be streamed: those of which a tablet answered that it can serve the
/// position, and those with a position of another flavor than MySQL56 (which is not judged) of which one answered at
/// all. A tablet that gives no answer proves nothing.
/// Errors: kPositionLost, naming the shard, the position and both ways out; kStreamBroken (ask again later) while every
/// tablet of the type lags behind the position, which the primary has.
Result<std::set<std::string>> check_positions(const SqlClient& sql, const std::vector<Tablet>& tablets,
                                              const Vgtid& positions, TabletType type, const LogHook& log);

/// Where a serving tablet of the type is now on each of the shards. Errors: kDecode for an answer that is no GTID set,
/// and for an empty one: a server without GTIDs cannot say where it is; those of SqlClient::query.
Result<Vgtid> current_positions(const SqlClient& sql, const std::string& keyspace,
                                const std::vector<std::string>& shards, TabletType type);

}  // namespace vstream
