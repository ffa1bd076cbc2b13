#pragma once

#include <grpcpp/grpcpp.h>

#include <expected>

#include "simulator/topology.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// The positions of a VStream request with its keyspaces and shards written out: an empty shard is all shards, an
/// empty keyspace all keyspaces, `/regex/` those that match (possibly none). As VTGate does it
/// (go/vt/vtgate/vstream_manager.go), with its errors: INVALID_ARGUMENT, or UNKNOWN for an unknown keyspace.
std::expected<binlogdata::VGtid, grpc::Status> resolve_positions(const binlogdata::VGtid& asked,
                                                                 const Topology& topology);

/// What VTGate checks at once when it starts the shards: that they exist.
grpc::Status check_shards(const binlogdata::VGtid& shards, const Topology& topology);

/// The error of the first shard that has no tablet of the type; VTGate gives it after a hunt of 90 s.
grpc::Status check_tablets(const binlogdata::VGtid& shards, topodata::TabletType type, const Topology& topology);

}  // namespace vstream::simulator
