#include "grpc_vtgate.h"

#include <chrono>

#include "events.h"

namespace vstream::property {

using namespace std::chrono_literals;

GrpcVtgate::GrpcVtgate(RandomVtgate& vtgate) : vtgate_(vtgate) {
  grpc::ServerBuilder builder;
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
}

GrpcVtgate::~GrpcVtgate() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

bool GrpcVtgate::wait_for_end(const grpc::ServerContext& context) {
  // A synchronous server learns of a client's end only by looking.
  std::unique_lock lock(mutex_);
  for (auto waited = 0ms; waited < 60s && !context.IsCancelled(); waited += 1ms) {
    if (ended_.wait_for(lock, 1ms, [&] { return is_over_; })) return true;
  }
  return context.IsCancelled();
}

grpc::Status GrpcVtgate::VStream(grpc::ServerContext* context, const vtgate::VStreamRequest* request,
                                 grpc::ServerWriter<vtgate::VStreamResponse>* writer) {
  const auto call = vtgate_.open(*request);
  bool sent = false;
  while (!context->IsCancelled()) {
    Step step = call->step();
    vtgate::VStreamResponse response;
    switch (step.kind) {
      case Step::Kind::kResponse: response.ParseFromString(step.response); break;
      case Step::Kind::kIdle: *response.add_events() = heartbeat(); break;
      case Step::Kind::kEnded: return {static_cast<grpc::StatusCode>(step.status.code), step.status.text};
      case Step::Kind::kOver:
        // Whether the client has read all of it is known when it comes back and asks for the rest.
        if (sent) return grpc::Status::OK;
        vtgate_.stop();
        [[fallthrough]];
      case Step::Kind::kExhausted:
      case Step::Kind::kSilent:
        if (!wait_for_end(*context)) vtgate_.complain("the client waits on, though all was sent");
        return grpc::Status::CANCELLED;
    }
    if (!writer->Write(response)) break;
    sent = true;
  }
  return grpc::Status::CANCELLED;
}

}  // namespace vstream::property
