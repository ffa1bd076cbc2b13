#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "vstream/error.h"
#include "vtgate.pb.h"

namespace vstream {

/// One VStream RPC whose responses stay bytes. Only wake() may be called from another thread.
class StreamCall {
 public:
  enum class Outcome : std::uint8_t {
    kResponse,  ///< response() holds the next one
    kTimeout,   ///< nothing came until the deadline
    kWoken,     ///< wake() was called; told once
    kEnded      ///< the call is over; error() says why
  };

  StreamCall() = default;
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;
  /// Cancels the call if it runs.
  virtual ~StreamCall() = default;

  /// Waits for the next response. TimePoint::max() waits for ever, kAtOnce not at all.
  virtual Outcome next(TimePoint deadline) = 0;
  /// The serialized VStreamResponse, valid until the next call of next().
  virtual std::string_view response() const = 0;
  /// After kEnded: what classify() makes of the status.
  virtual const Error& error() const = 0;
  /// Makes next() return kWoken. From any thread, also before or during next(), once.
  virtual void wake() = 0;

  static constexpr TimePoint kAtOnce = TimePoint::min();
};

/// Where streams come from: a VTGate, or what a test puts in its place.
class StreamSource {
 public:
  StreamSource() = default;
  StreamSource(const StreamSource&) = delete;
  StreamSource& operator=(const StreamSource&) = delete;
  virtual ~StreamSource() = default;

  /// Sends the request. What is wrong with it is told by the call's first next(): VTGate answers nothing before.
  virtual std::unique_ptr<StreamCall> open(const vtgate::VStreamRequest& request) = 0;
  /// Before another try: forgets a connection that has failed. No call may be open.
  virtual void reconnect() {}
};

}  // namespace vstream
