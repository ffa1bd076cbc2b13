#pragma once

#include <grpcpp/grpcpp.h>

#include "simulator/backend.h"
#include "simulator/doorbell.h"
#include "vtgateservice.grpc.pb.h"

namespace vstream::simulator {

/// The gRPC service of the simulated VTGate: the backend plays. Thread safe.
class Service final : public vtgateservice::Vitess::Service {
 public:
  /// Both outlive the service.
  Service(Backend& backend, Doorbell& doorbell) : backend_(backend), doorbell_(doorbell) {}

  grpc::Status VStream(grpc::ServerContext* context, const vtgate::VStreamRequest* request,
                       grpc::ServerWriter<vtgate::VStreamResponse>* writer) override;
  grpc::Status Execute(grpc::ServerContext* context, const vtgate::ExecuteRequest* request,
                       vtgate::ExecuteResponse* response) override;

 private:
  Backend& backend_;
  Doorbell& doorbell_;
};

}  // namespace vstream::simulator
