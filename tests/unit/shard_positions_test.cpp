// Our own position per shard.
#include "stream/shard_positions.h"

#include <catch2/catch_test_macros.hpp>

using vstream::Journal;
using vstream::ShardPositions;
using Map = ShardPositions::Map;

namespace {

Journal split() {
  return {.id = 7,
          .participants = {{.keyspace = "ks", .shard = "-80"}, {.keyspace = "ks", .shard = "80-"}},
          .shards = {{.keyspace = "ks", .shard = "-", .gtid = "MySQL56/new:1"}}};
}

}  // namespace

TEST_CASE("L7: words that stand for a position are never taken for one") {
  ShardPositions positions(Map{{"-80", "g1"}, {"80-", "current"}});
  positions.moved("-80", "current");
  positions.moved("-80", "");
  CHECK(positions.map() == Map{{"-80", "g1"}, {"80-", "current"}});
  REQUIRE(positions.vgtid("ks").size() == 1);
  CHECK(positions.vgtid("ks")[0].shard == "-80");
}

TEST_CASE("a shard that is not followed moves nothing") {
  ShardPositions positions(Map{{"-80", "g1"}});
  positions.moved("80-", "g9");
  CHECK(positions.map() == Map{{"-80", "g1"}});
}

TEST_CASE("R5: old shards leave and new ones enter in one step, when every participant has journaled") {
  ShardPositions positions(Map{{"-80", "g1"}, {"80-", "h1"}, {"other", "o1"}});
  CHECK_FALSE(positions.journaled("-80", split()));
  positions.moved("-80", "past the journal");
  positions.moved("80-", "h2");
  CHECK(positions.map() == Map{{"-80", "g1"}, {"80-", "h2"}, {"other", "o1"}});
  CHECK(positions.journaled("80-", split()));
  CHECK(positions.map() == Map{{"-", "MySQL56/new:1"}, {"other", "o1"}});
}

TEST_CASE("R3: a journal that comes twice, or again in the next request, changes nothing") {
  ShardPositions positions(Map{{"-80", "g1"}, {"80-", "h1"}});
  CHECK_FALSE(positions.journaled("-80", split()));
  CHECK_FALSE(positions.journaled("-80", split()));
  positions.begin_request();
  CHECK_FALSE(positions.journaled("80-", split()));
  CHECK(positions.map() == Map{{"-80", "g1"}, {"80-", "h1"}});
  CHECK(positions.journaled("-80", split()));
  CHECK_FALSE(positions.journaled("-80", split()));
}

TEST_CASE("participants that are not followed are not waited for") {
  ShardPositions positions(Map{{"-80", "g1"}});
  CHECK(positions.journaled("-80", split()));
}
