#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/clock.h"
#include "stream/poison.h"
#include "stream/retry.h"
#include "vstream/error.h"

namespace vstream {

/// Decides what becomes of a failure: another try after a delay, or the end of the run. A value without a clock of its
/// own. Not synchronised.
class FailureJudge {
 public:
  FailureJudge(RetryPolicy policy, RandomSource random) : retry_(policy, std::move(random)) {}

  /// The delay before the next try. `place`: where the stream stands, to recognise what fails at one transaction.
  /// Errors, which are final: what cannot pass; what has used up the budget (its code says what was wrong to the last);
  /// kPoison for a transaction that the tablet cannot read, kDecode for one that we cannot read after a reconnect.
  Result<std::chrono::milliseconds> judge(Error error, const std::string& place, TimePoint now);
  void recovered() { retry_.recovered(); }
  const Retry& retry() const { return retry_; }

 private:
  Retry retry_;
  // By shard: two that fail in turn do not hide each other.
  std::map<std::string, PoisonRule> poison_;
  std::map<std::string, std::string> undecodable_at_;
};

}  // namespace vstream
