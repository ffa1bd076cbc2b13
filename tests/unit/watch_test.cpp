// Has a stream started, and is it alive?
#include "stream/watch.h"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using vstream::Watch;

namespace {

constexpr vstream::LivenessPolicy kPolicy{.liveness = 10s, .startup = 300s};
constexpr vstream::LivenessPolicy kStalls{.liveness = 10s, .startup = 300s, .shard_stall = 60s};

bool fails(Watch& watch, Watch::Time now, const std::string& part, const std::string& open_shard = "") {
  const auto passed = watch.pass(now, open_shard);
  return !passed && passed.error().code == vstream::ErrorCode::kStreamBroken &&
         passed.error().retriable == vstream::Retriable::kYes && passed.error().message.find(part) != std::string::npos;
}

Watch started_watch(vstream::LivenessPolicy policy = kPolicy) {
  Watch watch(policy, {"-80", "80-"}, {});
  watch.heard(1s);
  watch.shard_heard("-80", 1s);
  watch.shard_heard("80-", 1s);
  return watch;
}

}  // namespace

TEST_CASE("a stream has started when an event has named each shard") {
  Watch watch(kPolicy, {"-80", "80-"}, {});
  CHECK_FALSE(watch.started());
  watch.shard_heard("80-", 1s);
  watch.shard_heard("80-", 2s);
  CHECK_FALSE(watch.started());
  watch.shard_heard("-80", 3s);
  CHECK(watch.started());
}

TEST_CASE("L7: an idle shard has started when a tablet can serve its position and the call has lived three seconds") {
  Watch watch(kPolicy, {"-80", "80-"}, {"-80"});
  watch.shard_heard("80-", 1s);
  CHECK(watch.next_check("") == Watch::Time(3s));
  CHECK(watch.pass(2999ms, ""));
  CHECK_FALSE(watch.started());
  CHECK(watch.pass(3s, ""));
  CHECK(watch.started());
}

TEST_CASE("heartbeats start nothing, and the startup timeout names the shards that are missing") {
  Watch watch(kPolicy, {"-80", "80-"}, {});
  watch.shard_heard("-80", 1s);
  for (int second = 1; second < 300; ++second) {
    watch.heard(std::chrono::seconds(second));
    CHECK(watch.pass(std::chrono::seconds(second), ""));
  }
  CHECK_FALSE(watch.started());
  CHECK(watch.next_check("") == Watch::Time(300s));
  CHECK(fails(watch, 300s, "no event of shard \"80-\" came"));
}

TEST_CASE("L1: heartbeats keep an idle stream, silence breaks it off") {
  Watch watch = started_watch();
  for (int second = 2; second < 100; ++second) {
    watch.heard(std::chrono::seconds(second));
    CHECK(watch.pass(std::chrono::seconds(second), ""));
  }
  CHECK(watch.next_check("") == Watch::Time(109s));
  CHECK(watch.pass(108s, ""));
  CHECK(fails(watch, 109s, "silent for 10 s"));
}

TEST_CASE("silence before the start is not judged by the liveness timeout") {
  Watch watch(kPolicy, {"0"}, {});
  CHECK(watch.pass(200s, ""));
}

TEST_CASE("L8: no limit means no limit") {
  Watch watch = started_watch({.liveness = 0s, .startup = 0s});
  CHECK(watch.next_check("") == Watch::Time::max());
  CHECK(watch.pass(24h, "-80"));
}

TEST_CASE("a transaction that stands open while only heartbeats come is broken off") {
  Watch watch = started_watch();
  watch.heard(10s);
  CHECK(watch.next_check("-80") == Watch::Time(11s));
  CHECK(watch.pass(11s, ""));
  CHECK(fails(watch, 11s, "transaction of shard \"-80\" stands open", "-80"));
}

TEST_CASE("L2: a shard whose own heartbeats cease is named, the others go on") {
  Watch watch = started_watch(kStalls);
  watch.keyspace_heartbeat("80-", 5s);
  for (int second = 6; second < 65; ++second) {
    watch.heard(std::chrono::seconds(second));
    watch.keyspace_heartbeat("-80", std::chrono::seconds(second));
    CHECK(watch.pass(std::chrono::seconds(second), ""));
  }
  watch.heard(65s);
  CHECK(fails(watch, 65s, "shard \"80-\" has stalled"));
}

TEST_CASE("a shard that never sent a heartbeat row of its own cannot stall") {
  Watch watch = started_watch(kStalls);
  watch.heard(24h);
  CHECK(watch.pass(24h, ""));
}

TEST_CASE("nothing is expected of a shard that was replaced") {
  Watch watch = started_watch(kStalls);
  watch.keyspace_heartbeat("80-", 5s);
  watch.forget("80-");
  watch.heard(24h);
  CHECK(watch.pass(24h, ""));
}
