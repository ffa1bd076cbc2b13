// A session ends at its target, when it is idle, and steps over what no tablet can read. By a fake clock.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session_run.h"
#include "vtgate/classify.h"

using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;
using namespace vstream;           // NOLINT(google-build-using-namespace): the test is about it
using namespace vstream::testing;  // NOLINT(google-build-using-namespace)

namespace {

const std::string kErrant = "5e11fa47-71ca-11e1-9e33-c80aa9429562";

/// The target of each shard: its transactions up to that number.
void aims(Run& run, const std::vector<int>& last, StopAt::Kind kind = StopAt::Kind::kPositions) {
  Vgtid target;
  for (std::size_t i = 0; i < last.size(); ++i) target.push_back({"ks", run.shards[i], at(last[i])});
  run.until = Until::make(target, kind, "ks", run.shards).value();
}

GtidSet set(const std::string& text) { return GtidSet::parse(text).value(); }

/// Servers that have transactions 1 to `last`, primary and replica alike.
AskShard servers(int last) {
  return [=](const std::string&) {
    const std::string numbers = kUuid + ":1-" + std::to_string(last);
    return ShardHistories{
        .primary = ServerHistory{.executed = set(numbers), .purged = {}, .server = *Uuid::parse(kUuid)},
        .streamed = {{.executed = set(numbers), .purged = {}}}};
  };
}

void beats(ScriptedStreams::Script& script, int seconds) {
  for (int i = 0; i < seconds; ++i) script.push_back(send_after(1s, Response().heartbeat()));
}

}  // namespace

TEST_CASE("L10: each shard stops at its target and is silent and frozen then, until the last one is done") {
  Run run({"-80", "80-"});
  aims(run, {3, 8});
  run.streams.plays({send(transaction(2, "-80")), send(transaction(3, "-80")), send(transaction(4, "-80")),
                     send(transaction(7, "80-")), lose_connection()});
  run.streams.plays({send(transaction(4, "-80")), send(transaction(8, "80-")), send(transaction(9, "80-"))});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kUntil);
  CHECK(end->rows == 4);
  CHECK(ids(run.sink.text) == "2 3 7 8 ");
  CHECK(vgtid_to_short(end->position) == "ks/-80@" + at(3) + ",ks/80-@" + at(8));
  CHECK(run.asked(1) == std::vector{at(3), at(7)});
}

TEST_CASE("L10: a stream whose position contains the target already ends without a request") {
  Run run;
  aims(run, {1}, StopAt::Kind::kEnd);
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kAtEnd);
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(1));
  CHECK(run.streams.requests().empty());
}

TEST_CASE("an end is between transactions, also when the response has more of them") {
  Run run;
  aims(run, {3});
  Response several;
  for (int i = 2; i < 6; ++i) {
    several.begin().field("t", {{.name = "id"}}).row("t", {}, {std::to_string(i)}).row("t", {}, {std::to_string(i)});
    several.vgtid(at(i)).commit();
  }
  run.streams.plays({send(several)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(ids(run.sink.text) == "2 2 3 3 ");
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(3));
}

TEST_CASE("a shard that is copied is not done before the copy is, and what it brings meanwhile is printed") {
  Run run;
  run.copies({"t"});
  aims(run, {3}, StopAt::Kind::kEnd);
  Response copied;
  copied.copying().begin().field("t", {{.name = "id", .flags = 2}}).row("t", {}, {"1"}).vgtid(at(5), {"t"}).commit();
  Response done;
  done.copying().begin().vgtid(at(6)).commit();
  run.streams.plays({send(copied), send(transaction(6)), send(done)});
  run.streams.plays({send(transaction(7))});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kAtEnd);
  CHECK(ids(run.sink.text) == "1 6 ");
  CHECK(run.sink.text.find(R"({"type":"copy_completed"})") != std::string::npos);
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(6));
  CHECK(run.streams.requests().size() == 1);
}

TEST_CASE("a copy that ends before the target is followed by its changes up to there") {
  Run run;
  run.copies({"t"});
  aims(run, {8}, StopAt::Kind::kEnd);
  Response done;
  done.copying().begin().vgtid(at(6)).commit();
  run.streams.plays({send(done)});
  run.streams.plays({send(transaction(7)), send(transaction(8)), send(transaction(9))});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(ids(run.sink.text) == "7 8 ");
}

TEST_CASE("a target that no server can reach ends the run before a request is made") {
  Run run;
  run.until =
      Until::make({{"ks", "0", at(5) + "," + kErrant + ":1"}}, StopAt::Kind::kPositions, "ks", run.shards).value();
  run.ask_shard = servers(5);
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPositionLost);
  CHECK_THAT(end.error().message, ContainsSubstring("missing are " + kErrant + ":1"));
  CHECK(run.streams.requests().empty());
}

TEST_CASE("a target that is lost while it is waited for ends the run, though heartbeats go on") {
  Run run;
  run.until =
      Until::make({{"ks", "0", at(3) + "," + kErrant + ":1"}}, StopAt::Kind::kPositions, "ks", run.shards).value();
  run.ask_shard = [&run](const std::string& shard) -> std::optional<ShardHistories> {
    auto known = servers(3)(shard);
    if (run.clock.now() < TimePoint(1h) + 60s) known->primary->executed.merge(set(kErrant + ":1"));
    return known;
  };
  ScriptedStreams::Script script{send(transaction(2)), send(transaction(3)), send(transaction(4))};
  beats(script, 600);
  run.streams.plays(std::move(script));
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPositionLost);
  CHECK(ids(run.sink.text) == "2 3 ");
  CHECK(run.clock.now() < TimePoint(1h) + 90s);
}

TEST_CASE("a deadline before the target misses the goal") {
  Run run;
  aims(run, {9});
  (GENERATE(true, false) ? run.options.duration : run.options.idle_timeout) = 20s;
  IdleClock idle(20s);
  if (run.options.idle_timeout) run.idle = &idle;
  ScriptedStreams::Script script{send(transaction(2))};
  beats(script, 100);
  run.streams.plays(std::move(script));
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == (run.options.duration ? EndReason::kDuration : EndReason::kIdle));
  CHECK(end->goal_missed);
}

TEST_CASE("an idle timeout ends the run when nothing but heartbeats has come for so long") {
  Run run;
  IdleClock idle(20s);
  run.idle = &idle;
  ScriptedStreams::Script script{send(transaction(2))};
  beats(script, 15);
  script.push_back(send_after(1s, transaction(3)));
  Response empty;
  empty.begin().vgtid(at(4)).commit();
  script.push_back(send_after(1s, empty));
  beats(script, 100);
  run.streams.plays(std::move(script));
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kIdle);
  CHECK_FALSE(end->goal_missed);
  CHECK(run.clock.now() - TimePoint(1h) == 36s);
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(4));
}

TEST_CASE("a copy, and a stream that is broken, are not idle") {
  Run run;
  run.copies({"t"});
  IdleClock idle(20s);
  run.idle = &idle;
  Response head;
  head.copying().begin().field("t", {{.name = "id", .flags = 2}}).vgtid(at(5), {"t"});
  Response done;
  done.copying().begin().vgtid(at(6)).commit();
  ScriptedStreams::Script script{send(head)};
  beats(script, 60);
  script.push_back(send(done));
  run.streams.plays(std::move(script));
  for (int i = 0; i < 5; ++i)
    run.streams.plays({end_with(
        {.code = ErrorCode::kStreamBroken, .message = "no tablet", .retriable = Retriable::kYes, .grpc_code = 1})});
  ScriptedStreams::Script last{send(transaction(7))};
  beats(last, 100);
  run.streams.plays(std::move(last));
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kIdle);
  CHECK(ids(run.sink.text) == "7 ");
}

TEST_CASE("a transaction is stepped over once, and the line that tells it comes first") {
  Run run;
  run.options.skip = {{"ks", "0", "MySQL56/" + kUuid + ":4"}};
  run.streams.plays({send(transaction(2)), lose_connection()});
  run.streams.plays({send(transaction(3))});
  REQUIRE(run().has_value());
  CHECK(run.sink.text.starts_with(R"({"type":"skipped","keyspace":"ks","shard":"0","gtid":")" + kUuid + ":4\"}\n"));
  CHECK(run.sink.text.find("skipped") == run.sink.text.rfind("skipped"));
  CHECK(run.asked(0) == std::vector{"MySQL56/" + kUuid + ":1:4"});
  CHECK(run.asked(1) == std::vector{at(2)});  // as VTGate has it: it adds to what it was sent
  CHECK_THAT(run.said, ContainsSubstring("copy them again"));
}

TEST_CASE("a transaction that lies before the start is not skipped, and that is said") {
  Run run;
  if (GENERATE(true, false)) run.copies({"t"});
  run.options.skip = {{"ks", "0", "MySQL56/" + kUuid + ":1"}};
  run.streams.plays({});
  REQUIRE(run().has_value());
  CHECK_THAT(run.said, ContainsSubstring("nothing to skip"));
  CHECK(run.sink.text.empty());
}

TEST_CASE("D4: a poison transaction is named, with the way over it, in less than a minute") {
  Run run;
  run.ask_shard = servers(9);
  const Error poison = classify({.code = 2, .text = "error in vstream for ks/0 on tablet t: uncaught panic: boom"});
  run.streams.plays({send(transaction(2)), end_with(poison)});
  for (int i = 0; i < 100; ++i) run.streams.plays({end_with(poison)});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPoison);
  CHECK_THAT(end.error().message, ContainsSubstring("the transaction is " + kUuid + ":3"));
  CHECK_THAT(end.error().hint, ContainsSubstring("--skip-transaction ks/0@" + kUuid + ":3"));
  CHECK(run.clock.now() - TimePoint(1h) < 30s);
}
