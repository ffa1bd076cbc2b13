#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "vstream/sink.h"

namespace vstream {

/// A sink that tells how long each write blocked: time in which we did not read is no silence of the server. What it
/// works with outlives it.
class TimedSink final : public Sink {
 public:
  TimedSink(Sink& sink, const Clock& clock, std::function<void(TimePoint::duration)> blocked)
      : sink_(sink), clock_(clock), blocked_(std::move(blocked)) {}

  Result<void> write(std::string_view lines) override {
    return timed([&] { return sink_.write(lines); });
  }
  Result<void> write_part(std::string_view lines) override {
    return timed([&] { return sink_.write_part(lines); });
  }
  void drop_parts() override { sink_.drop_parts(); }

  /// The same for other work that keeps us from reading.
  template <typename Work>
  Result<void> timed(Work work) {
    const TimePoint before = clock_.now();
    auto done = work();
    blocked_(clock_.now() - before);
    return done;
  }

 private:
  Sink& sink_;
  const Clock& clock_;
  std::function<void(TimePoint::duration)> blocked_;
};

}  // namespace vstream
