#pragma once

#include <mutex>
#include <string_view>

#include "vstream/sink.h"

namespace vstream {

/// One thread's share of a sink that several write to: a transaction that comes in parts stays in one piece. Sink and
/// mutex outlive it, and the mutex is the same for all shares.
class SinkShare final : public Sink {
 public:
  SinkShare(Sink& sink, std::mutex& mutex) : sink_(sink), lock_(mutex, std::defer_lock) {}

  Result<void> write(std::string_view lines) override {
    lock();
    auto written = sink_.write(lines);
    lock_.unlock();
    return written;
  }
  /// Others wait until write() or drop_parts() is called.
  Result<void> write_part(std::string_view lines) override {
    lock();
    return sink_.write_part(lines);
  }
  void drop_parts() override {
    lock();
    sink_.drop_parts();
    lock_.unlock();
  }

 private:
  void lock() {
    if (!lock_) lock_.lock();
  }

  Sink& sink_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace vstream
