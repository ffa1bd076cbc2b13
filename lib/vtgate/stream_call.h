#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vstream/error.h"
#include "vtgate.pb.h"

namespace vstream {

/// One VStream RPC whose responses stay bytes. It is read on the caller's thread, which also does gRPC's own IO while
/// it waits: no other thread takes part. What is not read stays in HTTP/2's flow control window and slows the server,
/// so memory is bounded by that and one response. Only wake() may be called from another thread.
class StreamCall {
 public:
  enum class Outcome : std::uint8_t {
    kResponse,  ///< response() holds the next one
    kTimeout,   ///< nothing came until the deadline
    kWoken,     ///< wake() was called; told once
    kEnded      ///< the call is over; error() says why
  };
  using Deadline = std::chrono::system_clock::time_point;

  /// Sends the request. What is wrong with it is told by the first next(): VTGate answers nothing before.
  StreamCall(const std::shared_ptr<grpc::Channel>& channel, const vtgate::VStreamRequest& request);
  /// Cancels the call if it runs, and waits until gRPC has let go of it.
  ~StreamCall();
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  Outcome next(Deadline deadline);
  /// The serialized VStreamResponse, valid until the next call of next().
  std::string_view response() const { return response_; }
  /// After kEnded: what classify() makes of the status.
  const Error& error() const { return error_; }
  /// Makes next() return kWoken. From any thread, also before or during next(), once.
  void wake();

 private:
  void read();
  void finish();
  void take_response();

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::Alarm alarm_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer buffer_;
  grpc::Slice slice_;   // keeps response_ alive when it is one slice
  std::string joined_;  // or its slices put together
  std::string_view response_;
  grpc::Status status_;
  Error error_;
  bool has_response_ = false;  // one was given out, the next is not asked for yet
  bool finishing_ = false;
  bool ended_ = false;
};

}  // namespace vstream
