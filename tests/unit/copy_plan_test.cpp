#include "stream/copy_plan.h"

#include <catch2/catch_test_macros.hpp>

using vstream::CopyPlan;
using Names = std::vector<std::string>;

TEST_CASE("tables are copied one after the other in byte order") {
  CopyPlan plan({"b", "B", "a"}, {"0"});
  CHECK(plan.table() == "B");
  CHECK(plan.finished_tables().empty());
  plan.next_table();
  CHECK(plan.table() == "a");
  CHECK(plan.finished_tables() == Names{"B"});
  CHECK_FALSE(plan.is_last_table());
  plan.next_table();
  CHECK(plan.is_last_table());
  plan.next_table();
  CHECK(plan.complete());
}

TEST_CASE("a table is finished when no shard lists it any more") {
  CopyPlan plan({"a"}, {"-80", "80-"});
  CHECK_FALSE(plan.shard_reported("-80", {{.table = "a", .bytes = ""}}));
  CHECK(plan.shard_reported("-80", {}));
  CHECK_FALSE(plan.table_finished());
  CHECK_FALSE(plan.shard_reported("-80", {}));
  CHECK(plan.shard_reported("80-", {{.table = "another", .bytes = ""}}));
  CHECK(plan.table_finished());
}

TEST_CASE("a shard that was not asked cannot finish a table") {
  CopyPlan plan({"a"}, {"0"});
  CHECK_FALSE(plan.shard_reported("-80", {}));
  CHECK_FALSE(plan.table_finished());
}

TEST_CASE("a copy of no tables is complete at once") { CHECK(CopyPlan({}, {"0"}).complete()); }
