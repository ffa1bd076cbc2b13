// What VTGate's texts say of a tablet that failed while it read the binlog.
#include "vtgate/tablet_failure.h"

#include <catch2/catch_test_macros.hpp>

using vstream::tablet_failure;

TEST_CASE("a failure of a tablet's stream names shard, position and the tablet's words") {
  const auto failure = tablet_failure(
      "error in vstream for commerce/0 on tablet zone1-0000000101: stream (at source tablet) error @ (including the "
      "GTID "
      "we failed to process) MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-42: cannot parse JSON: bad: key\nCode: X");
  REQUIRE(failure);
  CHECK(failure->keyspace == "commerce");
  CHECK(failure->shard == "0");
  CHECK(failure->position == "MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-42");
  CHECK(failure->words == "cannot parse JSON: bad: key");
}

TEST_CASE("a panic has the tablet's words, and no position") {
  const auto failure =
      tablet_failure("error in vstream for ks/-80 on tablet t: uncaught panic: runtime error: x\n. Stack");
  REQUIRE(failure);
  CHECK(failure->shard == "-80");
  CHECK(failure->position.empty());
  CHECK(failure->words == "panic: runtime error: x");
}

TEST_CASE("other errors are no failures of a tablet's stream") {
  CHECK_FALSE(tablet_failure(""));
  CHECK_FALSE(tablet_failure("error reading from server: EOF"));
}

TEST_CASE("a text that is cut short is taken as far as it goes") {
  CHECK(tablet_failure("stream (at source tablet) error @ ")->position.empty());
  CHECK(tablet_failure("stream (at source tablet) error @ (including")->words.empty());
  CHECK(tablet_failure("vstream for  stream (at source tablet) error @ MySQL56/u:1")->position == "MySQL56/u:1");
}
