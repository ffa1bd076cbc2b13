#pragma once

#include <memory>

#include "vtgate/connection.h"
#include "vtgate/stream_call.h"

namespace vstream {

/// Streams from a VTGate over gRPC. A call is read on the caller's thread, which also does gRPC's own IO while it
/// waits: no other thread takes part. What is not read stays in HTTP/2's flow control window and slows the server, so
/// memory is bounded by that and one response.
class GrpcStreamSource final : public StreamSource {
 public:
  /// The connection outlives it.
  explicit GrpcStreamSource(Connection& connection) : connection_(connection) {}

  std::unique_ptr<StreamCall> open(const vtgate::VStreamRequest& request) override;
  void reconnect() override { connection_.renew(); }

 private:
  Connection& connection_;
};

}  // namespace vstream
