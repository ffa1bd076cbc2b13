#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "stream/watch.h"
#include "vtgate/stream_call.h"

namespace vstream {

/// A VStream call that is read under a watch: it ends when it breaks and when it has been silent for too long. Time in
/// which a slow reader of our output keeps us from reading is not held against it. Not synchronised.
class WatchedCall {
 public:
  enum class Next : std::uint8_t {
    kResponse,  ///< response() holds the next one
    kNothing,   ///< nothing is there yet, or nothing came until the deadline
    kWoken      ///< the call's wake() was called
  };

  /// The clock outlives it.
  WatchedCall(std::unique_ptr<StreamCall> call, Watch watch, const Clock& clock);

  /// What has come already.
  Result<Next> poll();
  /// Waits until something comes, the watch has something to say, or the deadline. `open_shard`: see Watch::pass().
  /// Errors: how the call ended; kStreamBroken if the watch gives it up.
  Result<Next> wait(TimePoint deadline, std::string_view open_shard);

  /// While responses never cease, nobody waits: then this is to be called now and then. Errors: those of Watch::pass().
  bool check_due() const { return now() - last_check_ >= std::chrono::seconds(1); }
  Result<void> check(std::string_view open_shard);

  std::string_view response() const { return call_->response(); }
  StreamCall& call() { return *call_; }
  Watch& watch() { return watch_; }
  /// The watch's time.
  Watch::Time now() const { return clock_.now() - opened_ - blocked_; }
  /// So long nothing was read, because output could not be written.
  void was_blocked(Clock::Duration time) { blocked_ += time; }

 private:
  Result<Next> judge(StreamCall::Outcome outcome);

  std::unique_ptr<StreamCall> call_;
  Watch watch_;
  const Clock& clock_;
  TimePoint opened_;
  Clock::Duration blocked_{0};
  Watch::Time last_check_{0};
};

}  // namespace vstream
