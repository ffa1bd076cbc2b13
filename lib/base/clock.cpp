#include "base/clock.h"

#include <condition_variable>
#include <mutex>

namespace vstream {
namespace {

class SteadyClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }

  void wait_until(TimePoint moment, const std::stop_token& stop) const override {
    std::mutex mutex;
    std::condition_variable_any never_rung;
    std::unique_lock lock(mutex);
    never_rung.wait_until(lock, stop, moment, [] { return false; });
  }
};

}  // namespace

const Clock& real_clock() {
  static const SteadyClock kClock;
  return kClock;
}

}  // namespace vstream
