#include "stream/retry.h"

#include <algorithm>

namespace vstream {

using std::chrono::milliseconds;

std::optional<milliseconds> Retry::failed(TimePoint now) {
  if (!failing_since_) failing_since_ = now;
  constexpr int kMostDoublings = 16;  // far beyond the longest delay
  const milliseconds grown(policy_.first_delay.count() << std::min(tries_, kMostDoublings));
  const milliseconds largest = std::min(grown, policy_.longest_delay);
  const milliseconds delay(static_cast<milliseconds::rep>(random_() * static_cast<double>(largest.count())));
  if (!policy_.budget) {
    ++tries_;
    return delay;
  }
  const auto left = std::chrono::ceil<milliseconds>(*failing_since_ + *policy_.budget - now);
  if (left.count() <= 0) return std::nullopt;
  ++tries_;
  return std::min(delay, left);
}

void Retry::recovered() {
  failing_since_.reset();
  tries_ = 0;
}

}  // namespace vstream
