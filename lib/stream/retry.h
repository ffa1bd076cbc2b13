#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"

namespace vstream {

/// How long and how often a broken stream is tried again.
struct RetryPolicy {
  std::optional<std::chrono::milliseconds> budget = std::chrono::minutes(5);  ///< none: for ever; zero: never
  std::chrono::milliseconds first_delay{200};
  std::chrono::milliseconds longest_delay{20'000};
};

/// A number of [0, 1).
using RandomSource = std::function<double()>;

/// Exponential backoff with full jitter within a budget that runs from the first failure until the stream has
/// recovered. A value without a clock of its own. Not synchronised.
class Retry {
 public:
  Retry(RetryPolicy policy, RandomSource random) : policy_(policy), random_(std::move(random)) {}

  /// The stream broke at `now`: the delay before the next try, or none when the budget is used up. The last delay is
  /// cut short, so that the budget's end sees one more try.
  std::optional<std::chrono::milliseconds> failed(TimePoint now);
  /// The stream has recovered: the next failure is the first again.
  void recovered();

  bool failing() const { return failing_since_.has_value(); }
  /// While failing(): the moment of the first failure and the number of tries since.
  TimePoint failing_since() const { return *failing_since_; }
  int tries() const { return tries_; }

 private:
  RetryPolicy policy_;
  RandomSource random_;
  std::optional<TimePoint> failing_since_;
  int tries_ = 0;
};

}  // namespace vstream
