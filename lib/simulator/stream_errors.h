#pragma once

#include <grpcpp/grpcpp.h>

#include <string_view>

#include "binlogdata.pb.h"
#include "simulator/topology.h"

// The errors that end a VStream call, with the texts that VTGate 24.0.4 uses (tests/transcripts/err_*.err).
namespace vstream::simulator {

/// The same for all causes: "error starting stream from shard GTID …: cause".
grpc::Status start_error(const binlogdata::ShardGtid& start, grpc::StatusCode code, std::string_view cause);

grpc::Status unknown_keyspace(const binlogdata::ShardGtid& start);
grpc::Status unknown_shard(const binlogdata::ShardGtid& start);

/// What VTGate says after 90 s in vain: no tablet of that type, a position that no tablet can serve (purged, or not in
/// the executed set; the true cause is masked).
grpc::Status no_tablet(const binlogdata::ShardGtid& start, topodata::TabletType type);

/// What the tablet says of a position that it cannot read, with VTGate's wrapping.
grpc::Status bad_position(const binlogdata::ShardGtid& start, const Tablet& tablet, std::string_view cause);

/// What the tablet says of a request it can never serve, after VTGate's three tries.
grpc::Status persistent_error(const binlogdata::ShardGtid& start, const Tablet& tablet, std::string_view cause);

}  // namespace vstream::simulator
