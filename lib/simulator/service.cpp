#include "simulator/service.h"

#include <chrono>
#include <utility>

#include "simulator/sql_answers.h"

namespace vstream::simulator {

grpc::Status Service::VStream(grpc::ServerContext* context, const vtgate::VStreamRequest* request,
                              grpc::ServerWriter<vtgate::VStreamResponse>* writer) {
  Outlet outlet(*context, *writer, doorbell_, std::chrono::seconds(request->flags().heartbeat_interval()));
  grpc::Status status = backend_.stream(*request, outlet);
  if (doorbell_.stopped()) return {grpc::StatusCode::UNAVAILABLE, "the simulator is shutting down"};
  return status;
}

grpc::Status Service::Execute(grpc::ServerContext* context, const vtgate::ExecuteRequest* request,
                              vtgate::ExecuteResponse* response) {
  auto own = backend_.answer(*request, *context);
  *response = own ? std::move(*own) : answer_sql(*request, backend_);
  return grpc::Status::OK;
}

}  // namespace vstream::simulator
