#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"

namespace vstream {

/// How long a stream may show no life. Zero: no limit.
struct LivenessPolicy {
  std::chrono::milliseconds liveness{10'000};  ///< nothing at all, or heartbeats only inside a transaction
  std::chrono::milliseconds startup{300'000};  ///< until every shard has started
  bool liveness_before_start = false;          ///< VTGate has shown that it sends heartbeats
  std::chrono::milliseconds shard_stall{0};    ///< no event of a shard whose heartbeat rows had come
};

/// Watches over one VStream call: has it started, is it alive? All times are since the call was made, without those in
/// which we did not read ourselves. A value without a clock of its own. Not synchronised.
///
/// A shard has started when an event has named it. One that a tablet has said it can serve, and whose call has lived
/// three seconds, has started too: nothing may have been written there. VTGate's heartbeats start nothing: they come
/// from the first second on, even when no tablet exists (seen on 24.0.4).
class Watch {
 public:
  using Time = std::chrono::nanoseconds;
  static constexpr std::chrono::seconds kIdleStart{3};
  /// A stream that has lived so long without an event has recovered.
  static constexpr std::chrono::seconds kRecovered{100};

  /// `servable`: the shards that a serving tablet can stream from the position asked for.
  Watch(LivenessPolicy policy, const std::vector<std::string>& shards, const std::set<std::string>& servable);

  /// A response came.
  void heard(Time now) { last_heard_ = now; }
  void shard_heard(std::string_view shard, Time now);
  void keyspace_heartbeat(std::string_view shard, Time now);
  /// A shard has been replaced by others in a reshard: nothing is expected of it any more.
  void forget(std::string_view shard);

  /// So long no event of any shard has come.
  Time without_event(Time now) const { return now - last_event_; }

  bool started() const { return waiting_.empty(); }
  /// The shards that have not started.
  const std::set<std::string, std::less<>>& waiting_for() const { return waiting_; }

  /// Lets time pass: idle shards may start, and what has been silent for too long is an error (kStreamBroken, may be
  /// tried again). `open_shard`: one whose transaction is open, or empty.
  Result<void> pass(Time now, std::string_view open_shard);
  /// When pass() has something to say next, if nothing comes until then.
  Time next_check(std::string_view open_shard) const;

 private:
  bool is_silent(Time now) const;
  std::unexpected<Error> silent() const;
  std::optional<Time> stalls_at(std::string_view shard) const;

  LivenessPolicy policy_;
  std::set<std::string, std::less<>> waiting_;
  std::set<std::string, std::less<>> idle_starters_;
  std::map<std::string, Time, std::less<>> last_events_;  // of the shards that have had one
  std::set<std::string, std::less<>> beating_;            // shards whose heartbeat rows came
  Time last_heard_{0};
  Time last_event_{0};
};

}  // namespace vstream
