#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "vtgate/stream_call.h"

namespace vstream {

/// Streams from a VTGate over gRPC. A call is read on the caller's thread, which also does gRPC's own IO while it
/// waits: no other thread takes part. What is not read stays in HTTP/2's flow control window and slows the server, so
/// memory is bounded by that and one response.
class GrpcStreamSource final : public StreamSource {
 public:
  explicit GrpcStreamSource(std::shared_ptr<grpc::Channel> channel) : channel_(std::move(channel)) {}

  std::unique_ptr<StreamCall> open(const vtgate::VStreamRequest& request) override;

 private:
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace vstream
