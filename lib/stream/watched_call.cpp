#include "stream/watched_call.h"

#include <algorithm>
#include <utility>

namespace vstream {

WatchedCall::WatchedCall(std::unique_ptr<StreamCall> call, Watch watch, const Clock& clock)
    : call_(std::move(call)), watch_(std::move(watch)), clock_(clock), opened_(clock.now()) {}

Result<WatchedCall::Next> WatchedCall::judge(StreamCall::Outcome outcome) {
  switch (outcome) {
    case StreamCall::Outcome::kResponse: watch_.heard(now()); return Next::kResponse;
    case StreamCall::Outcome::kTimeout: return Next::kNothing;
    case StreamCall::Outcome::kWoken: return Next::kWoken;
    case StreamCall::Outcome::kEnded: break;
  }
  return std::unexpected(call_->error());
}

Result<WatchedCall::Next> WatchedCall::poll() { return judge(call_->next(StreamCall::kAtOnce)); }

Result<WatchedCall::Next> WatchedCall::wait(TimePoint deadline, std::string_view open_shard) {
  const Watch::Time due = watch_.next_check(open_shard);
  const TimePoint check_at = due == Watch::Time::max() ? TimePoint::max() : opened_ + blocked_ + due;
  auto next = judge(call_->next(std::min(deadline, check_at)));
  if (!next || *next != Next::kNothing) return next;
  if (auto alive = check(open_shard); !alive) return std::unexpected(std::move(alive.error()));
  return next;
}

Result<void> WatchedCall::check(std::string_view open_shard) {
  last_check_ = now();
  return watch_.pass(last_check_, open_shard);
}

}  // namespace vstream
