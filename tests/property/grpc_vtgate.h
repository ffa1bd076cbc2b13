#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>

#include "random_vtgate.h"
#include "vtgateservice.grpc.pb.h"

namespace vstream::property {

/// A RandomVtgate behind real gRPC, within the process.
class GrpcVtgate final : public vtgateservice::Vitess::Service {
 public:
  explicit GrpcVtgate(RandomVtgate& vtgate);
  /// Ends all calls.
  ~GrpcVtgate() override;
  GrpcVtgate(const GrpcVtgate&) = delete;
  GrpcVtgate& operator=(const GrpcVtgate&) = delete;

  std::shared_ptr<grpc::Channel> channel() { return server_->InProcessChannel(grpc::ChannelArguments()); }

  grpc::Status VStream(grpc::ServerContext* context, const vtgate::VStreamRequest* request,
                       grpc::ServerWriter<vtgate::VStreamResponse>* writer) override;

 private:
  /// False if the client has not gone for a long time.
  bool wait_for_end(const grpc::ServerContext& context);

  RandomVtgate& vtgate_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace vstream::property
