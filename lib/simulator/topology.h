#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topodata.pb.h"

namespace vstream::simulator {

/// The one cell there is.
inline constexpr std::string_view kCell = "zone1";

/// One keyspace as SQL sees it.
struct Keyspace {
  std::string name;
  std::vector<std::string> shards = {};        ///< what serves when a stream begins; in byte order
  std::vector<std::string> later_shards = {};  ///< exist too, but serve only after a reshard
  std::vector<std::string> tables = {};        ///< bare names, in byte order

  bool has_shard(std::string_view shard) const;
};

/// All keyspaces, in byte order. Fixed while the simulator runs.
struct Topology {
  std::vector<Keyspace> keyspaces;

  /// Null if there is none of that name.
  const Keyspace* find(std::string_view name) const;
};

/// One tablet: every shard has a PRIMARY and a REPLICA, and no other.
struct Tablet {
  std::string keyspace;
  std::string shard;
  topodata::TabletType type = topodata::PRIMARY;
  std::string alias;  ///< "zone1-0000000101"

  /// "commerce.0.primary": how VTGate's errors name it.
  std::string target() const;
};

/// All of them, shard by shard, the primary first.
std::vector<Tablet> tablets(const Topology& topology);

/// The tablet that would serve a request for that type, PRIMARY if it is UNKNOWN (as in VTGate). If there is none of
/// the type, the result has no alias.
Tablet find_tablet(const Topology& topology, std::string_view keyspace, std::string_view shard,
                   topodata::TabletType type);

/// "PRIMARY", "REPLICA", …
std::string type_name(topodata::TabletType type);

}  // namespace vstream::simulator
