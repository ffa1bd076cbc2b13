// Which transactions belong to a target, when a shard is done, and what no server can bring.
#include "stream/until.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace vstream;  // NOLINT(google-build-using-namespace): the test is about it
using Kind = Until::Verdict::Kind;

namespace {

const std::string kA = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kB = "4e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kC = "5e11fa47-71ca-11e1-9e33-c80aa9429562";

std::string a(const std::string& numbers) { return "MySQL56/" + kA + ":" + numbers; }
std::string b(const std::string& numbers) { return "," + kB + ":" + numbers; }
GtidSet set(const std::string& text) { return GtidSet::parse(text).value(); }

Until until(const Vgtid& target, const std::vector<std::string>& shards = {"0"},
            StopAt::Kind kind = StopAt::Kind::kPositions) {
  return Until::make(target, kind, "ks", shards).value();
}
Until until_of(const std::string& gtid) { return until({{"ks", "0", gtid}}); }

std::string refusal(const Vgtid& target, const std::vector<std::string>& shards) {
  const auto made = Until::make(target, StopAt::Kind::kPositions, "ks", shards);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == ErrorCode::kUsage);
  return made.error().message;
}

/// What became of a transaction of shard 0, and where the shard stands then.
std::pair<Kind, std::string> pass(Until& until, const std::string& gtid, const std::string& transaction = "") {
  const auto verdict = until.judge("0", gtid, transaction, nullptr).value();
  return {verdict.kind, verdict.gtid};
}

Journal split(const std::string& old, const std::vector<std::string>& born) {
  Journal journal{.id = 7, .participants = {{"ks", old}}, .shards = {}};
  for (const std::string& shard : born) journal.shards.push_back({"ks", shard, a("1-50")});
  return journal;
}

ShardHistories histories(const std::string& primary, const std::vector<std::string>& tablets,
                         const std::string& purged = "") {
  ShardHistories known{.primary =
                           ServerHistory{.executed = set(primary), .purged = set(purged), .server = *Uuid::parse(kA)}};
  for (const std::string& tablet : tablets) known.streamed.push_back({.executed = set(tablet), .purged = {}});
  return known;
}

}  // namespace

TEST_CASE("L10: a shard is done when its position contains the target, and is silent from then on") {
  Until goal = until_of(a("1-3"));
  REQUIRE(goal.begins("0", a("1")).has_value());
  CHECK(pass(goal, a("1-2"), kA + ":2") == std::pair(Kind::kBelongs, a("1-2")));
  CHECK_FALSE(goal.done());
  CHECK(pass(goal, a("1-3"), kA + ":3") == std::pair(Kind::kBelongs, a("1-3")));
  CHECK(goal.done());
  CHECK(pass(goal, a("1-4"), kA + ":4").first == Kind::kSilent);
}

TEST_CASE("L10: a position that jumps over the target's last transaction reaches it, but is not in it") {
  Until goal = until_of(a("1-50"));
  REQUIRE(goal.begins("0", a("1-49")).has_value());
  const std::string own = GENERATE(std::string(), kA + ":52");  // servers before v23 do not say it
  CHECK(pass(goal, a("1-52"), own) == std::pair(Kind::kOutside, a("1-50")));
  CHECK(goal.done());
}

TEST_CASE("L10: an idle shard whose position contains the target is done without an event") {
  Until goal = until_of(a("1-5"));
  REQUIRE(goal.begins("0", a("1-5") + b("1-9")).has_value());
  CHECK(goal.done());
  Until behind = until_of(a("1-5") + b("1"));
  REQUIRE(behind.begins("0", a("1-9")).has_value());
  CHECK_FALSE(behind.done());
}

TEST_CASE("a transaction outside of the target that comes before its last one is left out of lines and position") {
  Until goal = until_of(a("1-3") + b("1-5"));
  REQUIRE(goal.begins("0", a("1-2") + b("1-4")).has_value());
  const bool told = GENERATE(true, false);
  CHECK(pass(goal, a("1-2") + b("1-4") + "," + kC + ":1", told ? kC + ":1" : "") ==
        std::pair(Kind::kOutside, a("1-2") + b("1-4")));
  CHECK(pass(goal, a("1-3") + b("1-4") + "," + kC + ":1", told ? kA + ":3" : "") ==
        std::pair(Kind::kBelongs, a("1-3") + b("1-4")));
  CHECK(pass(goal, a("1-3") + b("1-5:7") + "," + kC + ":1", told ? kB + ":7" : "").first == Kind::kOutside);
  CHECK(goal.done());
}

TEST_CASE("a position that is learnt from the stream counts from there on") {
  Until goal = until_of(a("1-7"));
  REQUIRE(goal.begins("0", "current").has_value());
  CHECK(pass(goal, a("1-5"), GENERATE(std::string(), kA + ":5")) == std::pair(Kind::kBelongs, a("1-5")));
  CHECK(pass(goal, a("1-5") + b("1"), kB + ":1") == std::pair(Kind::kOutside, a("1-5")));
  CHECK(pass(goal, a("1-6") + b("1"), kA + ":6") == std::pair(Kind::kBelongs, a("1-6")));
}

TEST_CASE("a transaction without a position moves nothing") {
  Until goal = until_of(a("1-7"));
  REQUIRE(goal.begins("0", a("1-5")).has_value());
  CHECK(pass(goal, "", kA + ":9") == std::pair(Kind::kBelongs, std::string()));
}

TEST_CASE("positions of another flavor cannot be compared, and that is said") {
  CHECK_THAT(Until::make({{"ks", "0", "MariaDB/0-1-5"}}, StopAt::Kind::kPositions, "ks", {"0"}).error().message,
             ContainsSubstring("MariaDB"));
  Until goal = until_of(a("1-7"));
  CHECK(goal.judge("0", "MariaDB/0-1-5", "", nullptr).error().code == ErrorCode::kInvalidPosition);
}

TEST_CASE("a target must name every streamed shard or what it may become, and no other") {
  CHECK_THAT(refusal({{"ks", "-80", a("1")}}, {"-80", "80-"}), ContainsSubstring("no position for shard \"ks/80-\""));
  CHECK_THAT(refusal({{"ks", "-80", a("1")}, {"ks", "80-", a("1")}}, {"-80"}),
             ContainsSubstring("names shard \"ks/80-\""));
  CHECK_THAT(refusal({{"ks", "-80", a("1")}, {"other", "-40", a("1")}}, {"-80"}), ContainsSubstring("\"other/-40\""));
  CHECK_THAT(refusal({{"ks", "-80", a("1")}, {"ks", "-40", a("1")}}, {"-80"}),
             ContainsSubstring("names shard \"ks/-80\""));
  CHECK(Until::make({{"ks", "-40", a("1")}, {"ks", "40-80", a("1")}, {"ks", "80-", a("1")}}, StopAt::Kind::kPositions,
                    "ks", {"-80", "80-"})
            .has_value());
}

TEST_CASE("an old shard is done at its journal, and the shards that it becomes when they appear") {
  Until goal = until({{"ks", "-80", a("1-9")}}, {"-80"}, StopAt::Kind::kEnd);
  REQUIRE(goal.begins("-80", a("1-5")).has_value());
  const Journal journal = split("-80", {"-40", "40-80"});
  const auto verdict = goal.judge("-80", a("1-7"), kA + ":7", &journal).value();
  CHECK(verdict.kind == Kind::kBelongs);
  CHECK(goal.done());
  CHECK(goal.judge("-40", a("1-51"), kA + ":51", nullptr)->kind == Kind::kSilent);
  // It comes again after a reconnect, while others are not done.
  CHECK(goal.judge("-80", a("1-7"), kA + ":7", &journal)->kind == Kind::kBelongs);
}

TEST_CASE("a journal before a target that was still to come makes it unreachable") {
  Until goal = until({{"ks", "-80", a("1-9")}}, {"-80"});
  REQUIRE(goal.begins("-80", a("1-5")).has_value());
  const Journal journal = split("-80", {"-40", "40-80"});
  const auto verdict = goal.judge("-80", a("1-7"), kA + ":7", &journal);
  REQUIRE_FALSE(verdict.has_value());
  CHECK(verdict.error().code == ErrorCode::kPositionLost);
  CHECK_THAT(verdict.error().message, ContainsSubstring(kA + ":8-9"));
}

TEST_CASE("a journal is outside if another old shard stopped before its own") {
  Until goal = until({{"ks", "-80", a("1-5")}, {"ks", "80-", a("1-9")}}, {"-80", "80-"}, StopAt::Kind::kEnd);
  REQUIRE(goal.begins("-80", a("1-5")).has_value());
  REQUIRE(goal.begins("80-", a("1-5")).has_value());
  Journal merge = split("-80", {"-"});
  merge.participants.push_back({"ks", "80-"});
  CHECK(goal.judge("-80", a("1-7"), kA + ":7", &merge)->kind == Kind::kSilent);
  CHECK(goal.judge("80-", a("1-7"), kA + ":7", &merge)->kind == Kind::kOutside);
  CHECK(goal.done());
}

TEST_CASE("a target of the shards that are still to come ends the old one at its journal, and them where it says") {
  Until goal = until({{"ks", "-40", a("1-52")}, {"ks", "40-80", a("1-50")}}, {"-80"});
  REQUIRE(goal.begins("-80", a("1-5")).has_value());
  CHECK(goal.judge("-80", a("1-6"), kA + ":6", nullptr)->kind == Kind::kBelongs);
  const Journal journal = split("-80", {"-40", "40-80"});
  CHECK(goal.judge("-80", a("1-7"), kA + ":7", &journal)->kind == Kind::kBelongs);
  CHECK_FALSE(goal.done());
  CHECK(goal.judge("40-80", a("1-51"), kA + ":51", nullptr)->kind == Kind::kSilent);
  CHECK(goal.judge("-40", a("1-52"), kA + ":52", nullptr)->kind == Kind::kBelongs);
  CHECK(goal.done());
}

TEST_CASE("what the primary has, or may still make, can be reached") {
  const Reach reached = reach(set(kA + ":5-20"), histories(kA + ":1-9", {kA + ":1-6"}));
  CHECK((reached.never.empty() && reached.by_some.empty()));
}

TEST_CASE("what no server has and the primary does not make is never reached") {
  CHECK(reach(set(kA + ":5," + kB + ":1-3"), histories(kA + ":1-9," + kB + ":1", {kA + ":1-9"})).never ==
        set(kB + ":2-3"));
}

TEST_CASE("what only the primary had, and has purged, is never reached") {
  const auto known = histories(kA + ":1-9," + kB + ":1", {kA + ":1-9"}, kB + ":1");
  CHECK(reach(set(kB + ":1"), known).never == set(kB + ":1"));
}

TEST_CASE("what every streamed tablet has comes; what only some have may not") {
  const std::string errant = kA + ":1-9," + kB + ":1";
  CHECK(reach(set(kB + ":1"), histories(kA + ":1-9", {errant})).by_some.empty());
  CHECK(reach(set(kB + ":1"), histories(kA + ":1-9", {errant, kA + ":1-9"})).by_some == set(kB + ":1"));
}

TEST_CASE("servers that do not answer may have anything") {
  auto known = histories(kA + ":1-9", {kA + ":1-9"});
  known.complete = false;
  CHECK(reach(set(kB + ":1"), known).never.empty());
  known = histories(kA + ":1-9", {});
  CHECK(reach(set(kB + ":1"), known).never.empty());
  known = histories(kA + ":1-9", {kA + ":1-9"});
  known.primary.reset();
  CHECK(reach(set(kB + ":1"), known).never.empty());
}

TEST_CASE("a shard is asked about at the start, and when it has come no nearer since") {
  Until goal = until_of(a("1-9"));
  REQUIRE(goal.begins("0", a("1-5")).has_value());
  CHECK(goal.stuck().at("0") == set(kA + ":6-9"));
  pass(goal, a("1-6"), kA + ":6");
  CHECK(goal.stuck().empty());
  CHECK(goal.stuck().at("0") == set(kA + ":7-9"));
  // What is outside of the target brings it no nearer.
  pass(goal, a("1-6") + b("1"), kB + ":1");
  CHECK(goal.stuck().contains("0"));
}

TEST_CASE("a target with errant transactions ends the run with the difference") {
  Until goal = until_of(a("1-9") + b("1-2"));
  REQUIRE(goal.begins("0", a("1-5")).has_value());
  const auto checked = goal.check("0", goal.stuck().at("0"), histories(kA + ":1-9," + kB + ":1", {kA + ":1-9"}));
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().code == ErrorCode::kPositionLost);
  CHECK(checked.error().shard == "0");
  CHECK_THAT(checked.error().message, ContainsSubstring("missing are " + kB + ":2"));
}

TEST_CASE("what only some tablets have is waited for once more, and only when nothing else is missing") {
  const auto known = histories(kA + ":1-9", {kA + ":1-9," + kB + ":1", kA + ":1-9"});
  Until goal = until_of(a("1-9") + b("1"));
  REQUIRE(goal.begins("0", a("1-8")).has_value());
  for (int i = 0; i < 3; ++i) CHECK(goal.check("0", goal.stuck().at("0"), known).has_value());
  pass(goal, a("1-9"), kA + ":9");
  CHECK(goal.stuck().empty());
  CHECK(goal.check("0", goal.stuck().at("0"), known).has_value());
  CHECK_FALSE(goal.check("0", goal.stuck().at("0"), known).has_value());
}
