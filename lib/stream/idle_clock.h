#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/clock.h"

namespace vstream {

/// How long no stream of a run has brought anything: what --idle-timeout is judged by. Time counts only while every
/// stream of the run waits for changes: one that connects, copies, or is broken may hold some back. Thread safe; shared
/// by the streams of a run.
class IdleClock {
 public:
  /// `streams`: how many there will be; they are at work until they say that they wait.
  explicit IdleClock(Clock::Duration timeout, std::size_t streams = 1) : timeout_(timeout), at_work_(streams) {}

  /// One stream of the run. For one thread; the clock outlives it.
  class Stream {
   public:
    explicit Stream(IdleClock& clock) : clock_(clock) {}
    ~Stream() { works(false); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// From now on it waits for changes.
    void waits(TimePoint now) {
      clock_.brought(now);
      works(false);
    }
    /// It connects, copies, or is broken.
    void works() { works(true); }
    /// It has brought something.
    void brought(TimePoint now) { clock_.brought(now); }

   private:
    void works(bool at_work) {
      if (at_work != std::exchange(at_work_, at_work)) clock_.work(at_work);
    }

    IdleClock& clock_;
    bool at_work_ = true;
  };

  /// When the run is to end, if nothing comes until then; max() while a stream is at work.
  TimePoint ends_at() const {
    const std::lock_guard lock(mutex_);
    return at_work_ > 0 ? TimePoint::max() : last_ + timeout_;
  }

 private:
  void work(bool more) {
    const std::lock_guard lock(mutex_);
    more ? ++at_work_ : --at_work_;
  }
  void brought(TimePoint now) {
    const std::lock_guard lock(mutex_);
    last_ = std::max(last_, now);
  }

  const Clock::Duration timeout_;
  mutable std::mutex mutex_;
  std::size_t at_work_;
  TimePoint last_ = {};
};

}  // namespace vstream
