#pragma once

#include <optional>
#include <string>
#include <vector>

#include "position/gtid_set.h"
#include "vstream/connection.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {

/// The transactions a MySQL server has had, and those of them whose binlogs it has thrown away.
struct ServerHistory {
  GtidSet executed;
  GtidSet purged;
  Uuid server = {};  ///< under which it makes its own
};

/// What the servers of one shard have had.
struct ShardHistories {
  std::optional<ServerHistory> primary = {};
  std::vector<ServerHistory> streamed = {};  ///< the serving tablets of the streamed type that answered
  bool complete = true;                      ///< all of those have answered
};

/// The transactions that a server has had. Errors: those of SqlClient::query; kDecode for an answer that is no GTID
/// set.
Result<GtidSet> ask_executed(const SqlClient& sql, const std::string& target);

/// None: no answer, or one of a server without GTID sets.
std::optional<ServerHistory> ask_history(const SqlClient& sql, const std::string& target);

/// Asks every serving tablet of the type, but not the primary (unless it is of that type).
ShardHistories ask_streamed(const SqlClient& sql, const std::vector<Tablet>& tablets, const KeyspaceShard& shard,
                            TabletType type);

/// All of them, as VTGate lists them now.
ShardHistories ask_shard(const SqlClient& sql, const KeyspaceShard& shard, TabletType type);

}  // namespace vstream
