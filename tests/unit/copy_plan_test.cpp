// What a copy's requests must say so that nothing is lost, wherever it was interrupted.
#include "stream/copy_plan.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <set>
#include <string>
#include <vector>

using vstream::CopyCursor;
using vstream::CopyPlan;
using vstream::CopyState;
using vstream::FieldEventView;
using Names = std::vector<std::string>;

namespace {

const vstream::ShardPositions::Map kAt = {{"0", "g"}, {"1", "g"}, {"-80", "g"}, {"80-", "g"}};

FieldEventView fields(bool with_key) {
  FieldEventView view;
  view.fields = {{.name = "id", .type = query::INT64, .charset = 63, .flags = with_key ? 49667U : 0U},
                 {.name = "note", .type = query::VARCHAR, .charset = 255, .flags = 0}};
  return view;
}

std::string cursor_bytes(const std::string& table, const std::string& key, int fields = 1, std::uint32_t flags = 2) {
  binlogdata::TableLastPK cursor;
  cursor.set_table_name(table);
  for (int i = 0; i < fields; ++i) {
    query::Field& field = *cursor.mutable_lastpk()->add_fields();
    field.set_name("id");
    field.set_flags(flags);
  }
  query::Row& row = *cursor.mutable_lastpk()->add_rows();
  row.add_lengths(static_cast<std::int64_t>(key.size()));
  row.set_values(key);
  return cursor.SerializeAsString();
}

std::vector<CopyCursor> at(const std::string& table, const std::string& key, std::uint32_t flags = 2) {
  return {{.table = table, .bytes = cursor_bytes(table, key, 1, flags)}};
}

}  // namespace

TEST_CASE("tables are copied one after the other in byte order") {
  CopyPlan plan({"b", "B", "a"}, {"0"});
  CHECK(plan.table() == "B");
  CHECK(plan.finished_tables().empty());
  plan.next_table();
  CHECK(plan.table() == "a");
  CHECK(plan.finished_tables().contains("B"));
  plan.next_table();
  plan.next_table();
  CHECK(plan.complete());
}

TEST_CASE("C6: a table is finished when no shard lists it any more") {
  CopyPlan plan({"a"}, {"-80", "80-"});
  CHECK_FALSE(plan.shard_reported("-80", at("a", "1")));
  CHECK(plan.shard_reported("-80", {}));
  CHECK_FALSE(plan.table_finished());
  CHECK_FALSE(plan.shard_reported("-80", {}));
  CHECK(plan.shard_reported("80-", at("another", "1")));
  CHECK(plan.table_finished());
}

TEST_CASE("a shard that was not asked cannot finish a table") {
  CopyPlan plan({"a"}, {"0"});
  CHECK_FALSE(plan.shard_reported("-80", {}));
  CHECK_FALSE(plan.table_finished());
}

TEST_CASE("a copy of no tables is complete at once") { CHECK(CopyPlan(Names(), {"0"}).complete()); }

TEST_CASE("a table of which nothing can be out is asked for by its bare name") {
  CopyPlan plan({"a"}, {"0"});
  plan.begin_request(kAt);
  REQUIRE(plan.entry("0"));
  CHECK(plan.entry("0")->table_name() == "a");
  CHECK_FALSE(plan.entry("0")->has_lastpk());
}

TEST_CASE("a table that was begun is asked for with a cursor of zero rows, which swallows no change") {
  CopyPlan plan({"a"}, {"0", "1"});
  plan.begin_request(kAt);
  REQUIRE(plan.copy_begins("0", "a", fields(true)));
  CHECK(plan.begin_request(kAt).empty());
  const auto entry = plan.entry("0");
  REQUIRE(entry);
  REQUIRE(entry->has_lastpk());
  CHECK(entry->lastpk().rows().empty());
  REQUIRE(entry->lastpk().fields_size() == 1);
  CHECK(entry->lastpk().fields(0).name() == "id");
  CHECK_FALSE(plan.entry("1")->has_lastpk());
}

TEST_CASE("a copy that broke before its shard had a position is asked for as if it were the first time") {
  CopyPlan plan({"a"}, {"0"});
  const bool has_key = GENERATE(true, false);
  plan.begin_request({{"0", ""}});
  REQUIRE(plan.copy_begins("0", "a", fields(has_key)));
  CHECK(plan.begin_request({{"0", ""}}).empty());
  CHECK_FALSE(plan.entry("0")->has_lastpk());
}

TEST_CASE("C1, C2, C13: a half-copied table goes on with its cursor, byte for byte, whatever its type") {
  CopyPlan plan({"a"}, {"0"});
  plan.begin_request(kAt);
  REQUIRE(plan.copy_begins("0", "a", fields(true)));
  const std::string key("\x00\xff\x0a", 3);
  plan.shard_reported("0", at("a", key));
  plan.begin_request(kAt);
  CHECK(plan.entry("0")->SerializeAsString() == cursor_bytes("a", key));
}

TEST_CASE("C1: a cursor that would crash a tablet is never sent back") {
  CopyPlan plan({"a"}, {"0"});
  plan.begin_request(kAt);
  REQUIRE(plan.copy_begins("0", "a", fields(true)));
  const std::string bad = GENERATE_COPY(cursor_bytes("a", "7", 0), cursor_bytes("a", "7", 2));
  plan.shard_reported("0", {{.table = "a", .bytes = bad}});
  plan.begin_request(kAt);
  CHECK(plan.entry("0")->lastpk().rows().empty());
  CHECK(plan.entry("0")->lastpk().fields_size() == 1);
}

TEST_CASE("a shard that has finished the table has no entry in the request") {
  CopyPlan plan({"a"}, {"-80", "80-"});
  plan.begin_request(kAt);
  plan.shard_reported("-80", {});
  CHECK_FALSE(plan.entry("-80"));
  CHECK(plan.entry("80-"));
}

TEST_CASE("a table without a key begins again where it was begun, and by its bare name") {
  CopyPlan plan({"a"}, {"-80", "80-"});
  CHECK(plan.begin_request(kAt).empty());
  REQUIRE(plan.copy_begins("-80", "a", fields(false)));
  plan.shard_reported("-80", at("a", "1", 0));
  CHECK(plan.begin_request(kAt) == Names{"-80"});
  CHECK_FALSE(plan.entry("-80")->has_lastpk());
  CHECK(plan.begin_request(kAt).empty());
}

TEST_CASE("a second copy FIELD in one request is believed for tables with a key only") {
  CopyPlan plan({"a"}, {"0"});
  const bool has_key = GENERATE(true, false);
  plan.begin_request(kAt);
  REQUIRE(plan.copy_begins("0", "a", fields(has_key)));
  CHECK(plan.copy_begins("0", "a", fields(has_key)).has_value() == has_key);
  plan.begin_request(kAt);
  CHECK(plan.copy_begins("0", "a", fields(has_key)).has_value());
}

TEST_CASE("the copy of a finished table, or of one that was not asked for, is not believed") {
  CopyPlan plan({"a", "b"}, {"0"});
  plan.begin_request(kAt);
  CHECK_FALSE(plan.copy_begins("0", "b", fields(true)));
  plan.shard_reported("0", {});
  plan.next_table();
  plan.begin_request(kAt);
  const auto again = plan.copy_begins("0", "a", fields(true));
  REQUIRE_FALSE(again);
  CHECK(again.error().retriable == vstream::Retriable::kYes);
}

TEST_CASE("C7: tables that appear during a copy get their turn, those that go are forgotten") {
  CopyPlan plan({"b", "c", "d"}, {"0"});
  plan.next_table();
  const auto changes = plan.tables_are({"a", "c", "e"});
  CHECK(changes.appeared == Names{"a", "e"});
  CHECK(changes.gone == Names{"b", "d"});
  CHECK(plan.table() == "c");
  CHECK(plan.finished_tables().empty());
  plan.next_table();
  CHECK(plan.table() == "a");
  plan.next_table();
  CHECK(plan.table() == "e");
  plan.next_table();
  CHECK(plan.complete());
  CHECK(plan.tables_are({"a", "c", "e", "f"}).appeared == Names{"f"});
  CHECK(plan.table() == "f");
}

TEST_CASE("a table that is dropped while it is copied makes room for the next") {
  CopyPlan plan({"a", "b"}, {"0"});
  plan.begin_request(kAt);
  plan.shard_reported("0", {});
  plan.tables_are({"b"});
  CHECK(plan.table() == "b");
  CHECK_FALSE(plan.table_finished());
}

TEST_CASE("a key that is not among the selected columns is known from the first cursor") {
  CopyPlan plan({"a"}, {"0"});
  plan.begin_request(kAt);
  REQUIRE(plan.copy_begins("0", "a", fields(false)));
  plan.shard_reported("0", at("a", "7"));
  CHECK(plan.copy_begins("0", "a", fields(false)).has_value());  // VTGate's own retry
  CHECK(plan.begin_request(kAt).empty());
  CHECK(plan.entry("0")->SerializeAsString() == cursor_bytes("a", "7"));
}

TEST_CASE("C4: what another process has left goes on: the half-done table first, and nothing that was finished") {
  const std::string cursor = cursor_bytes("b", "7");
  const CopyState left{
      .tables = {"a", "b", "c", "d"},
      .unfinished = {
          {.shard = "0", .table = "b", .cursor = cursor}, {.shard = "0", .table = "a"}, {.shard = "1", .table = "c"}}};
  CopyPlan plan(left, {"0", "1"});
  CHECK(plan.finished_tables() == std::set<std::string, std::less<>>{"d"});
  CHECK(plan.table() == "b");
  CHECK(plan.state().unfinished.size() == 3);
  SECTION("behind its cursor, on the shard that has one") {
    CHECK(plan.keys_wanted().empty());
    plan.begin_request(kAt);
    CHECK(plan.entry("0")->lastpk().rows(0).values() == "7");
    CHECK_FALSE(plan.entry("1"));
  }
  SECTION("what waits may have been begun: its key must be known, for a cursor of zero rows") {
    plan.next_table();
    CHECK(plan.table() == "a");
    CHECK(plan.keys_wanted() == Names{"0"});
    query::Field key;
    key.set_name("id");
    key.set_flags(2);
    plan.key_is("0", {key});
    CHECK(plan.keys_wanted().empty());
    CHECK(plan.begin_request(kAt).empty());
    CHECK(plan.entry("0")->lastpk().fields_size() == 1);
    CHECK(plan.entry("0")->lastpk().rows().empty());
    // And so it is kept.
    const CopyState state = plan.state();
    CHECK(state.tables == Names{"b", "d", "a", "c"});
    REQUIRE(state.unfinished.size() == 2);
    CHECK(state.unfinished[0].table == "a");
    CHECK_FALSE(state.unfinished[0].cursor.empty());
    CHECK(state.unfinished[1] == vstream::UnfinishedTable{.shard = "1", .table = "c"});
  }
  SECTION("without a key it is copied anew") {
    plan.next_table();
    plan.key_is("0", {});
    CHECK(plan.begin_request(kAt) == Names{"0"});
    CHECK_FALSE(plan.entry("0")->has_lastpk());
  }
  SECTION("a table that nobody knew may have been begun, too, on every shard") {
    plan.tables_are({"a", "b", "c", "d", "e"});
    for (int i = 0; i < 3; ++i) plan.next_table();
    CHECK(plan.table() == "e");
    CHECK(plan.keys_wanted() == Names{"0", "1"});
  }
  SECTION("one that is gone and comes back is copied as a new one") {
    plan.tables_are({"a", "b", "d"});
    plan.tables_are({"a", "b", "c", "d"});
    plan.next_table();
    plan.next_table();
    CHECK(plan.table() == "c");
    CHECK(plan.keys_wanted() == Names{"0", "1"});
  }
}

TEST_CASE("C1: a stored cursor that does not fit is not sent") {
  const CopyState left{.tables = {"a"}, .unfinished = {{.shard = "0", .table = "a", .cursor = "nonsense"}}};
  CHECK(CopyPlan(left, {"0"}).keys_wanted() == Names{"0"});
}
