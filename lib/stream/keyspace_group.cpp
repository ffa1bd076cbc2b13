#include "stream/keyspace_group.h"

#include <thread>
#include <utility>

#include "stream/sink_share.h"

namespace vstream {
namespace {

// Met by one keyspace, it says nothing about the others.
bool is_own_goal(EndReason reason) {
  return reason == EndReason::kCopyCompleted || reason == EndReason::kUntil || reason == EndReason::kAtEnd;
}

// What tells most about the end of a run: a signal is also what stops the other keyspaces.
EndReason more_telling(EndReason a, EndReason b) {
  for (const EndReason reason :
       {EndReason::kPipe, EndReason::kCount, EndReason::kDuration, EndReason::kIdle, EndReason::kSignal}) {
    if (a == reason || b == reason) return reason;
  }
  return a;
}

void merge(TailEnd& whole, const TailEnd& part) {
  whole.reason = more_telling(whole.reason, part.reason);
  whole.rows += part.rows;
  whole.position.insert(whole.position.end(), part.position.begin(), part.position.end());
  whole.copy_unfinished = whole.copy_unfinished || part.copy_unfinished;
  whole.goal_missed = whole.goal_missed || part.goal_missed;
}

}  // namespace

Result<TailEnd> KeyspaceGroup::run(const std::vector<Part>& parts) {
  ends_.resize(parts.size());
  starting_ = running_ = parts.size();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      threads.emplace_back([this, i, &parts] { run_part(i, parts[i]); });
    }
  }
  if (thrown_) std::rethrow_exception(thrown_);
  if (first_to_fail_) return *ends_[*first_to_fail_];
  TailEnd whole = **ends_.front();
  for (std::size_t i = 1; i < ends_.size(); ++i) merge(whole, **ends_[i]);
  return whole;
}

void KeyspaceGroup::run_part(std::size_t number, const Part& part) {
  SinkShare sink(sink_, output_mutex_);
  const TailHooks hooks{.started = [this](const Vgtid& position) { part_started(position); },
                        .ending = [this] { part_ending(); }};
  std::optional<Result<TailEnd>> end;
  std::exception_ptr thrown;
  try {
    end = part(sink, hooks);
  } catch (...) {
    thrown = std::current_exception();
  }
  const bool stops_all = !end || !*end || !is_own_goal((*end)->reason);
  const std::lock_guard lock(mutex_);
  if (thrown) {
    thrown_ = thrown;
  } else if (!*end && !first_to_fail_) {
    first_to_fail_ = number;
  }
  ends_[number] = std::move(end);
  if (stops_all) stop_.request_stop();
}

void KeyspaceGroup::part_started(const Vgtid& position) {
  const std::lock_guard lock(mutex_);
  started_at_.insert(started_at_.end(), position.begin(), position.end());
  if (--starting_ == 0 && hooks_.started) hooks_.started(started_at_);
}

void KeyspaceGroup::part_ending() {
  const std::lock_guard lock(mutex_);
  if (--running_ == 0 && hooks_.ending) hooks_.ending();
}

}  // namespace vstream
