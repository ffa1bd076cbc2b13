#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "position/reshard.h"

using vstream::Journal;
using vstream::lineage;
using vstream::ShardLineage;

namespace {

Journal journal(std::initializer_list<const char*> olds, std::initializer_list<const char*> news) {
  Journal result{.id = 1, .participants = {}, .shards = {}};
  for (const char* shard : olds) result.participants.push_back({"customer", shard});
  for (const char* shard : news) result.shards.push_back({"customer", shard, "MySQL56/"});
  return result;
}

}  // namespace

TEST_CASE("a journal with a shard that is no key range is refused") {
  CHECK_FALSE(lineage(journal({"x-y"}, {"-80"})).has_value());
  CHECK_FALSE(lineage(journal({"0"}, {"80-40"})).has_value());
}

TEST_CASE("a split says which part of the old shard each new one took") {
  const std::vector<ShardLineage> expected = {{"-80", {{"0", "-80"}}}, {"80-", {{"0", "80-"}}}};
  CHECK(lineage(journal({"0"}, {"80-", "-80"})).value() == expected);
}

TEST_CASE("a merge names every old shard with its own range") {
  const std::vector<ShardLineage> expected = {{"-", {{"-80", "-80"}, {"80-", "80-"}}}};
  CHECK(lineage(journal({"80-", "-80"}, {"-"})).value() == expected);
}

TEST_CASE("a reshard whose cuts lie elsewhere divides the old shards") {
  const std::vector<ShardLineage> expected = {
      {"-55", {{"-80", "-55"}}}, {"55-aa", {{"-80", "55-80"}, {"80-", "80-aa"}}}, {"aa-", {{"80-", "aa-"}}}};
  CHECK(lineage(journal({"-80", "80-"}, {"aa-", "-55", "55-aa"})).value() == expected);
}

TEST_CASE("a new shard that no participant covers has no origin") {
  const std::vector<ShardLineage> expected = {{"-40", {{"-80", "-40"}}}, {"c0-", {}}};
  CHECK(lineage(journal({"-80"}, {"-40", "c0-"})).value() == expected);
}

TEST_CASE("shards of another keyspace are no origin") {
  Journal other = journal({"0"}, {"0"});
  other.participants[0].keyspace = "commerce";
  CHECK(lineage(other).value() == std::vector<ShardLineage>{{"0", {}}});
}
