#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace vstream::simulator {

/// Wakes every waiting stream when there is something new, or when the server stops. Thread safe.
///
/// A waiter reads `rings()`, looks for work, and if there is none waits for the number to change: nothing that happens
/// between looking and waiting is missed.
class Doorbell {
 public:
  using Clock = std::chrono::steady_clock;

  void ring() {
    {
      std::lock_guard lock(mutex_);
      ++rings_;
    }
    changed_.notify_all();
  }

  /// For good: every wait ends now and from now on.
  void stop() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  std::uint64_t rings() const {
    std::lock_guard lock(mutex_);
    return rings_;
  }

  bool stopped() const {
    std::lock_guard lock(mutex_);
    return stopped_;
  }

  /// Until it has rung since `seen`, is stopped, or the time has come.
  void wait_until(std::uint64_t seen, Clock::time_point time) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, time, [&] { return rings_ != seen || stopped_; });
  }

  /// Until it is stopped or the time has come, whatever rings. True if it is stopped.
  bool stopped_until(Clock::time_point time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, time, [&] { return stopped_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t rings_ = 0;
  bool stopped_ = false;
};

}  // namespace vstream::simulator
