#pragma once

#include <atomic>
#include <stop_token>

#include "base/clock.h"

namespace vstream::property {

/// Stands still, or follows the real clock, and jumps over every wait. Thread safe.
class TestClock final : public Clock {
 public:
  explicit TestClock(bool follows_the_real_one) : follows_the_real_one_(follows_the_real_one) {}

  TimePoint now() const override {
    const TimePoint start = follows_the_real_one_ ? real_clock().now() : TimePoint() + std::chrono::hours(1);
    return start + TimePoint::duration(jumped_.load());
  }
  void wait_until(TimePoint moment, const std::stop_token& stop) const override {
    if (!stop.stop_requested()) jump_to(moment);
  }
  void jump_to(TimePoint moment) const {
    if (moment > now()) jumped_ += (moment - now()).count();
  }

 private:
  bool follows_the_real_one_;
  mutable std::atomic<TimePoint::rep> jumped_ = 0;
};

}  // namespace vstream::property
