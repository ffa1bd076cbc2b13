// What a session does about its target, its deadlines and the transactions that it steps over.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stream/session.h"

namespace vstream {
namespace {

// How often the servers of a shard that comes no nearer to its target are asked whether it can.
constexpr std::chrono::seconds kTargetCheck{10};

}  // namespace

// Once, when it is known where the stream begins.
Result<void> Session::begin_goals() {
  if (std::exchange(goals_begun_, true)) return {};
  auto begun = step_over_skipped();
  if (begun) begun = begin_target();
  return begun ? check_target() : begun;
}

// A position that contains the transaction makes MySQL leave exactly it out, and send what came before.
Result<void> Session::step_over_skipped() {
  lines_.clear();
  for (const ShardPosition& skip : options_.skip) {
    const auto from = positions_.map().find(skip.shard);
    if (from == positions_.map().end()) continue;
    const std::string name =
        fmt::format("transaction {} of shard \"{}/{}\"", transaction_of(skip), skip.keyspace, skip.shard);
    const auto to = stepped_over(from->second, skip);
    if (!to) {
      world_.log(LogLevel::kWarning, fmt::format("there is nothing to skip: the stream begins behind {}", name));
      continue;
    }
    positions_.moved(skip.shard, *to);
    world_.log(LogLevel::kWarning,
               fmt::format("skipped: {}; the tables that it changed may differ from now on: copy them again", name));
    writer_.skipped(lines_, skip.keyspace, skip.shard, transaction_of(skip));
  }
  if (lines_.empty() || options_.format != Format::kNative || !options_.emit.has(Line::kSkipped)) return {};
  if (auto added = output_.add_whole(lines_.view(), 0); !added) return added;
  return settle();
}

// The shards stand where their streams begin, or where their copy was complete.
Result<void> Session::begin_target() {
  if (!world_.until || copying()) return {};
  for (const auto& [shard, gtid] : positions_.map()) {
    if (auto begun = world_.until->begins(shard, gtid); !begun) return begun;
  }
  return {};
}

// What no server can bring would be waited for for ever.
Result<void> Session::check_target() {
  if (!world_.until) return {};
  check_target_at_ = world_.clock.now() + kTargetCheck;
  if (!world_.ask_shard) return {};
  return sink_.timed([this]() -> Result<void> {
    for (const auto& [shard, missing] : world_.until->stuck()) {
      const auto histories = world_.ask_shard(shard);
      if (!histories) continue;
      if (auto reachable = world_.until->check(shard, missing, *histories); !reachable) return reachable;
    }
    return {};
  });
}

TimePoint Session::next_deadline() const {
  TimePoint next = ends_at_.value_or(TimePoint::max());
  if (!copying()) next = std::min(next, check_target_at_);
  return idle_ ? std::min(next, world_.idle->ends_at()) : next;
}

bool Session::out_of_time() {
  const TimePoint now = world_.clock.now();
  const bool over = ends_at_ && now >= *ends_at_;
  const bool idle = idle_ && now >= world_.idle->ends_at();
  if (over || idle) reason_ = over ? EndReason::kDuration : EndReason::kIdle;
  return over || idle;
}

// A poison transaction's name, if the shard's servers can be asked for it.
Error Session::with_transaction(Error error) const {
  if (error.code != ErrorCode::kPoison) return error;
  const auto position = positions_.map().find(error.shard);
  if (position == positions_.map().end() || !world_.ask_shard) return error;
  const auto histories = world_.ask_shard(error.shard);
  if (!histories || histories->streamed.empty()) return error;
  const std::string transaction = transaction_after(position->second, histories->streamed.front().executed);
  if (transaction.empty()) return error;
  error.message += "; the transaction is " + transaction;
  error.hint = fmt::format("step over it with --skip-transaction {}/{}@{} and copy the tables again that it changed",
                           selection_.keyspace(), error.shard, transaction);
  return error;
}

}  // namespace vstream
