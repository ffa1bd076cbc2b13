#include "stream/watch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vstream {
namespace {

std::unexpected<Error> dead(std::string message, std::string hint, std::string_view shard = {}) {
  auto error = fail(ErrorCode::kStreamBroken, std::move(message), std::move(hint), Retriable::kYes);
  error.error().shard = shard;
  return error;
}

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Watch::Watch(LivenessPolicy policy, const std::vector<std::string>& shards, const std::set<std::string>& servable)
    : policy_(policy), waiting_(shards.begin(), shards.end()), idle_starters_(servable.begin(), servable.end()) {}

void Watch::shard_heard(std::string_view shard, Time now) {
  last_event_ = now;
  if (const auto found = waiting_.find(shard); found != waiting_.end()) waiting_.erase(found);
  if (const auto found = last_events_.find(shard); found != last_events_.end()) {
    found->second = now;
  } else {
    last_events_.emplace(shard, now);
  }
}

void Watch::keyspace_heartbeat(std::string_view shard, Time now) {
  shard_heard(shard, now);
  if (!beating_.contains(shard)) beating_.emplace(shard);
}

void Watch::forget(std::string_view shard) {
  for (auto* set : {&waiting_, &idle_starters_, &beating_}) {
    if (const auto found = set->find(shard); found != set->end()) set->erase(found);
  }
  if (const auto found = last_events_.find(shard); found != last_events_.end()) last_events_.erase(found);
}

std::optional<Watch::Time> Watch::stalls_at(std::string_view shard) const {
  const auto found = last_events_.find(shard);
  if (policy_.shard_stall.count() == 0 || found == last_events_.end()) return std::nullopt;
  return found->second + policy_.shard_stall;
}

bool Watch::is_silent(Time now) const { return policy_.liveness.count() > 0 && now >= last_heard_ + policy_.liveness; }

std::unexpected<Error> Watch::silent() const {
  return dead(fmt::format("VTGate has been silent for {:g} s", seconds(policy_.liveness)), "");
}

Result<void> Watch::pass(Time now, std::string_view open_shard) {
  if (now >= kIdleStart) std::erase_if(waiting_, [&](const auto& shard) { return idle_starters_.contains(shard); });
  if (!started()) {
    if (policy_.liveness_before_start && is_silent(now)) return silent();
    if (policy_.startup.count() == 0 || now < policy_.startup) return {};
    return dead(fmt::format("the stream did not start within {:g} s: no event of shard \"{}\" came",
                            seconds(policy_.startup), fmt::join(waiting_, "\", \"")),
                "heartbeats prove VTGate only; is a tablet of that type serving the shard?", *waiting_.begin());
  }
  for (const auto& shard : beating_) {
    const auto at = stalls_at(shard);
    if (!at || now < *at) continue;
    return dead(fmt::format("shard \"{}\" has stalled: no event for {:g} s, not even its tablet's heartbeat", shard,
                            seconds(policy_.shard_stall)),
                "", shard);
  }
  if (policy_.liveness.count() == 0) return {};
  if (is_silent(now)) return silent();
  if (!open_shard.empty() && now >= last_event_ + policy_.liveness) {
    return dead(fmt::format("a transaction of shard \"{}\" stands open, and only heartbeats came for {:g} s",
                            open_shard, seconds(policy_.liveness)),
                "a tablet that dies inside a transaction hangs VTGate's stream", open_shard);
  }
  return {};
}

Watch::Time Watch::next_check(std::string_view open_shard) const {
  Time next = Time::max();
  if (!started()) {
    if (policy_.startup.count() > 0) next = policy_.startup;
    if (policy_.liveness_before_start && policy_.liveness.count() > 0) {
      next = std::min<Time>(next, last_heard_ + policy_.liveness);
    }
    if (std::ranges::any_of(waiting_, [&](const auto& shard) { return idle_starters_.contains(shard); })) {
      next = std::min<Time>(next, kIdleStart);
    }
    return next;
  }
  for (const auto& shard : beating_) next = std::min(next, stalls_at(shard).value_or(Time::max()));
  if (policy_.liveness.count() > 0) {
    next = std::min<Time>(next, last_heard_ + policy_.liveness);
    if (!open_shard.empty()) next = std::min<Time>(next, last_event_ + policy_.liveness);
  }
  return next;
}

}  // namespace vstream
