#pragma once

#include <string>

#include "base/clock.h"

namespace vstream {

/// Recognises a transaction that breaks the stream every time: it has failed three times at the same place, each time
/// at least ten seconds after the last one that counted, so that a tablet in trouble has time to recover.
/// A value without a clock of its own. Not synchronised.
class PoisonRule {
 public:
  static constexpr int kFailures = 3;
  static constexpr std::chrono::seconds kApart{10};

  /// The stream failed at `place` (a shard and its position). True when the place is poisoned.
  bool failed_at(const std::string& place, TimePoint now);
  /// When another failure at that place will count.
  TimePoint counts_again_at() const { return last_counted_ + kApart; }

 private:
  std::string place_;
  TimePoint last_counted_ = {};
  int failures_ = 0;
};

}  // namespace vstream
