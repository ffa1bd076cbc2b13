#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/outlet.h"
#include "simulator/table_schema.h"
#include "simulator/topology.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// What `@@global.gtid_executed`, `gtid_purged` and `server_uuid` say on a tablet: sets as MySQL prints them, no
/// flavor.
struct ServerVariables {
  std::string executed;
  std::string purged;
  std::string server_uuid;
};

/// What stands behind the simulated VTGate: the demo shop, a transcript or a scenario. Thread safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const Topology& topology() const = 0;

  /// The tablet must be one of the topology.
  virtual ServerVariables variables(const Tablet& tablet) const = 0;

  /// The columns of a table; null if it does not know them. They stay as long as the backend.
  virtual const TableSchema* schema(std::string_view /*keyspace*/, std::string_view /*table*/) const { return nullptr; }

  /// Serves one VStream call until the client has gone, the server stops, or the returned error.
  virtual grpc::Status stream(const vtgate::VStreamRequest& request, Outlet& outlet) = 0;

  /// An answer of its own to a statement; by default none has one.
  virtual std::optional<vtgate::ExecuteResponse> answer(const vtgate::ExecuteRequest& /*request*/,
                                                        grpc::ServerContext& /*context*/) {
    return std::nullopt;
  }

  /// How many calls were not as a scenario expects.
  virtual std::size_t unexpected() const { return 0; }

  /// Lets one step of a scenario that waits for it go on.
  virtual void go() {}
};

}  // namespace vstream::simulator
