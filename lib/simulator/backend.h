#pragma once

#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>

#include "simulator/outlet.h"
#include "simulator/topology.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// What `@@global.gtid_executed` and `@@global.gtid_purged` say on a shard: sets as MySQL prints them, no flavor.
struct GtidVariables {
  std::string executed;
  std::string purged;
};

/// What stands behind the simulated VTGate: the demo shop or a transcript. Thread safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Topology& topology() const = 0;

  /// The shard must be one of the topology.
  virtual GtidVariables gtids(std::string_view keyspace, std::string_view shard) const = 0;

  /// Serves one VStream call until the client has gone, the server stops, or the returned error. `shards` are the
  /// request's positions, resolved: every one names a shard of the topology.
  virtual grpc::Status stream(const vtgate::VStreamRequest& request, const binlogdata::VGtid& shards,
                              Outlet& outlet) = 0;
};

}  // namespace vstream::simulator
