// Stepping over a transaction that no tablet can read.
#include "stream/skip.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace vstream;  // NOLINT(google-build-using-namespace): the test is about it

namespace {

const std::string kA = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kB = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

GtidSet set(const std::string& text) { return GtidSet::parse(text).value(); }
ShardPosition skip(const std::string& transaction) { return {"ks", "0", "MySQL56/" + transaction}; }

}  // namespace

TEST_CASE("a position steps over exactly the transaction, not over what comes before it") {
  CHECK(stepped_over("MySQL56/" + kA + ":1-5", skip(kA + ":8")) == "MySQL56/" + kA + ":1-5:8");
  CHECK(stepped_over("MySQL56/" + kA + ":1-5", skip(kA + ":6")) == "MySQL56/" + kA + ":1-6");
  CHECK(stepped_over("MySQL56/" + kA + ":1-5", skip(kB + ":1")) == "MySQL56/" + kA + ":1-5," + kB + ":1");
}

TEST_CASE("there is nothing to step over in a position that has it, or that is none yet") {
  CHECK_FALSE(stepped_over("MySQL56/" + kA + ":1-5", skip(kA + ":5")));
  for (const char* none : {"current", "", "MariaDB/0-1-5"}) CHECK_FALSE(stepped_over(none, skip(kA + ":5")));
}

TEST_CASE("only one transaction of a streamed shard can be skipped") {
  CHECK(check_skips({skip(kA + ":5"), skip(kA + ":9")}, "ks", {"0"}).has_value());
  CHECK_THAT(check_skips({skip(kA + ":5-6")}, "ks", {"0"}).error().message, ContainsSubstring("not one transaction"));
  CHECK_FALSE(check_skips({skip(kA + ":5:9")}, "ks", {"0"}).has_value());
  CHECK_FALSE(check_skips({{"ks", "0", "MariaDB/0-1-5"}}, "ks", {"0"}).has_value());
  CHECK_THAT(check_skips({skip(kA + ":5")}, "ks", {"-80"}).error().message, ContainsSubstring("ks/0"));
  CHECK_THAT(check_skips({skip(kA + ":5")}, "other", {"0"}).error().message, ContainsSubstring("not streamed"));
}

TEST_CASE("a transaction that the shard has never had cannot be skipped") {
  std::string said;
  const LogHook log = [&](LogLevel, std::string_view text) { said += text; };
  const ShardHistories known{.primary = ServerHistory{.executed = set(kA + ":1-9"), .purged = {}},
                             .streamed = {{.executed = set(kA + ":1-7"), .purged = {}}}};
  const AskShard ask = [&](const std::string&) { return std::optional(known); };
  CHECK(check_executed({skip(kA + ":9")}, ask, log).has_value());
  const auto refused = check_executed({skip(kA + ":10")}, ask, log);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUsage);
  CHECK_THAT(refused.error().message, ContainsSubstring(kA + ":10"));
  CHECK(said.empty());
  CHECK(check_executed({skip(kA + ":10")}, [](const std::string&) { return std::nullopt; }, log).has_value());
  CHECK_THAT(said, ContainsSubstring("could not ask"));
}

TEST_CASE("the transaction after a position is named if it can be only one") {
  CHECK(transaction_after("MySQL56/" + kA + ":1-5:7", set(kA + ":1-9")) == kA + ":6");
  CHECK(transaction_after("MySQL56/" + kA + ":1-5", set(kA + ":1-9," + kB + ":1")).empty());
  CHECK(transaction_after("MySQL56/" + kA + ":1-9", set(kA + ":1-9")).empty());
  CHECK(transaction_after("current", set(kA + ":1-9")).empty());
}
