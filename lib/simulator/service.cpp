#include "simulator/service.h"

#include <chrono>

#include "simulator/sql_answers.h"
#include "simulator/start_rules.h"

namespace vstream::simulator {
namespace {

// VTGate looks for a fitting tablet for 90 s before it says CANCELLED; nobody wants to wait that long in a test.
constexpr std::chrono::milliseconds kTabletHunt{500};

}  // namespace

grpc::Status Service::VStream(grpc::ServerContext* context, const vtgate::VStreamRequest* request,
                              grpc::ServerWriter<vtgate::VStreamResponse>* writer) {
  Outlet outlet(*context, *writer, doorbell_, std::chrono::seconds(request->flags().heartbeat_interval()));
  grpc::Status status = play(*request, outlet);
  if (status.error_code() == grpc::StatusCode::CANCELLED) {
    auto until = Doorbell::Clock::now() + kTabletHunt;
    while (Doorbell::Clock::now() < until && outlet.wait(doorbell_.rings(), until)) {
    }
  }
  if (doorbell_.stopped()) return {grpc::StatusCode::UNAVAILABLE, "the simulator is shutting down"};
  return status;
}

grpc::Status Service::play(const vtgate::VStreamRequest& request, Outlet& outlet) {
  auto shards = resolve_positions(request.vgtid(), backend_.topology());
  if (!shards) return shards.error();
  if (shards->shard_gtids().empty()) return grpc::Status::OK;  // a pattern that matches no keyspace
  if (grpc::Status bad = check_shards(*shards, backend_.topology()); !bad.ok()) return bad;
  if (grpc::Status bad = check_tablets(*shards, request.tablet_type(), backend_.topology()); !bad.ok()) return bad;
  return backend_.stream(request, *shards, outlet);
}

grpc::Status Service::Execute(grpc::ServerContext* /*context*/, const vtgate::ExecuteRequest* request,
                              vtgate::ExecuteResponse* response) {
  *response = answer_sql(*request, backend_);
  return grpc::Status::OK;
}

}  // namespace vstream::simulator
