#pragma once

#include <chrono>
#include <stop_token>

namespace vstream {

/// A moment of the machine's monotonic clock: what timers are made of. The wall clock may jump.
using TimePoint = std::chrono::steady_clock::time_point;

/// The clock that everything with a timeout runs by, so that tests can drive it. Thread safe.
class Clock {
 public:
  using Duration = TimePoint::duration;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  virtual TimePoint now() const = 0;
  /// Returns at that moment, or as soon as `stop` is requested.
  virtual void wait_until(TimePoint moment, const std::stop_token& stop) const = 0;
};

/// The real one.
const Clock& real_clock();

}  // namespace vstream
