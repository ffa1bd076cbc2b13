#pragma once

#include <grpcpp/grpcpp.h>

#include <expected>

#include "position/gtid_set.h"
#include "simulator/outlet.h"
#include "simulator/topology.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// The positions of a VStream request with its keyspaces and shards written out: an empty shard is all shards, an
/// empty keyspace all keyspaces, `/regex/` those that match (possibly none). As VTGate does it
/// (go/vt/vtgate/vstream_manager.go), with its errors: INVALID_ARGUMENT, or UNKNOWN for an unknown keyspace.
std::expected<binlogdata::VGtid, grpc::Status> resolve_positions(const binlogdata::VGtid& asked,
                                                                 const Topology& topology);

/// All that VTGate does when a call begins: resolves the positions (perhaps to none: then the call ends at once, OK),
/// and checks that the shards exist and have a tablet of the type. Errors: how the call ends.
std::expected<binlogdata::VGtid, grpc::Status> begin_stream(const vtgate::VStreamRequest& request,
                                                            const Topology& topology);

/// Where a shard's stream begins on that tablet: its position, empty for "" and "current".
/// Errors: INTERNAL if the tablet cannot read it, CANCELLED if it cannot serve it.
std::expected<GtidSet, grpc::Status> read_start(const binlogdata::ShardGtid& start, const Tablet& tablet,
                                                const GtidSet& executed, const GtidSet& purged);

/// VTGate hunts for a fitting tablet for 90 s before it says CANCELLED: with that status, waits for 0.5 s (sending
/// heartbeats), with any other not at all. Returns the status.
grpc::Status after_hunt(grpc::Status status, Outlet& outlet);

}  // namespace vstream::simulator
