#pragma once

#include <cstddef>
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

/// One tablet.
struct Tablet {
  std::string keyspace;
  std::string shard;
  topodata::TabletType type = topodata::PRIMARY;
  std::string alias;  ///< "zone1-0000000101"
  bool serving = true;

  /// "commerce.0.primary": how VTGate's errors name it.
  std::string target() const;
};

/// All keyspaces, in byte order. Fixed while the simulator runs.
struct Topology {
  std::vector<Keyspace> keyspaces;
  std::vector<Tablet> tablets = {};  ///< none: every shard has a PRIMARY and a REPLICA

  /// Null if there is none of that name.
  const Keyspace* find(std::string_view name) const;
};

/// All of them, shard by shard, the primary first.
std::vector<Tablet> tablets(const Topology& topology);

/// The alias of the tablet with that number: "zone1-0000000101".
std::string tablet_alias(std::size_t number);

/// A server UUID made of the number in the alias: "00000000-0000-0000-0000-000000000101".
std::string tablet_uuid(std::string_view alias);

/// The tablet that would serve a request for that type, PRIMARY if it is UNKNOWN (as in VTGate); with an alias, that
/// one. If there is none that serves, the result has no alias.
Tablet find_tablet(const Topology& topology, std::string_view keyspace, std::string_view shard,
                   topodata::TabletType type, std::string_view alias = "");

/// "PRIMARY", "REPLICA", …
std::string type_name(topodata::TabletType type);

}  // namespace vstream::simulator
