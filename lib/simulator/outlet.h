#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <cstdint>

#include "simulator/doorbell.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// The way out of one VStream call: sends responses, and a HEARTBEAT whenever nothing was sent for the interval the
/// request asked for. For the thread that serves the call.
class Outlet {
 public:
  /// `heartbeat` zero: none.
  Outlet(grpc::ServerContext& context, grpc::ServerWriter<vtgate::VStreamResponse>& writer, Doorbell& doorbell,
         std::chrono::seconds heartbeat);

  /// Blocks while the client reads slowly. False if the call is over.
  bool send(const vtgate::VStreamResponse& response);

  /// A HEARTBEAT now, whether or not the request asked for any. False if the call is over.
  bool send_heartbeat();

  /// Those that wait() sends.
  void set_heartbeats(bool on) { heartbeats_ = on; }

  /// Resets the client's connection once it has what was sent. The call is over then. False if it cannot.
  bool cut();

  /// False once the client has gone or the server stops.
  bool open() const;

  /// Until the doorbell has rung since `seen`, or the call is over, or (if given) the time has come. Sends the
  /// heartbeats that are due meanwhile. False if the call is over.
  bool wait(std::uint64_t seen, Doorbell::Clock::time_point until = Doorbell::Clock::time_point::max());

  Doorbell& doorbell() { return doorbell_; }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<vtgate::VStreamResponse>& writer_;
  Doorbell& doorbell_;
  std::chrono::seconds heartbeat_;
  Doorbell::Clock::time_point last_sent_ = Doorbell::Clock::now();
  bool heartbeats_ = true;
  bool broken_ = false;
};

}  // namespace vstream::simulator
