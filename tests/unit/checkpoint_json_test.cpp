// Checkpoints as text: what is written reads back, and what is damaged is refused.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "binlogdata.pb.h"
#include "vstream/checkpoint.h"

using vstream::Checkpoint;
using vstream::CopyState;
using vstream::parse_checkpoint;

namespace {

std::string cursor_of(const std::string& table) {
  binlogdata::TableLastPK cursor;
  cursor.set_table_name(table);
  query::Field& field = *cursor.mutable_lastpk()->add_fields();
  field.set_name("id");
  field.set_type(query::INT64);
  field.set_flags(2);
  query::Row& row = *cursor.mutable_lastpk()->add_rows();
  row.add_lengths(2);
  row.set_values("42");
  return cursor.SerializeAsString();
}

const std::string kGtid = "MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5";

Checkpoint in_a_copy() {
  return {.position = {{"ks", "-80", kGtid}, {"ks", "80-", kGtid}},
          .copy = CopyState{.tables = {"a", "b", "c"},
                            .unfinished = {{.shard = "-80", .table = "b", .cursor = cursor_of("b")},
                                           {.shard = "-80", .table = "c"},
                                           {.shard = "80-", .table = "c"}}},
          .tables = {"ks"}};
}

std::string entry(const std::string& more) {
  return R"({"keyspace":"ks","shard":"0","gtid":")" + kGtid + "\"" + more + "}";
}

std::string refused(const std::string& text) {
  const auto checkpoint = parse_checkpoint(text);
  REQUIRE_FALSE(checkpoint.has_value());
  CHECK(checkpoint.error().code == vstream::ErrorCode::kInvalidPosition);
  return checkpoint.error().message;
}

}  // namespace

TEST_CASE("a checkpoint reads back from its text") {
  const Checkpoint streaming{.position = {{"ks", "0", kGtid}}, .tables = {"ks.a", "ks.b"}};
  CHECK(parse_checkpoint(checkpoint_to_json(streaming)) == streaming);
  CHECK(parse_checkpoint(checkpoint_to_json(in_a_copy())) == in_a_copy());
  CHECK(checkpoint_to_json(streaming) == R"({"vgtid":{"shardGtids":[)" + entry("") + R"(]},"tables":["ks.a","ks.b"]})");
}

TEST_CASE("K: cursors are read in all the spellings that Vitess' own tools use") {
  for (
      const std::string cursors :
      {R"("tablePKs":[{"tableName":"b","lastpk":{"fields":[{"name":"id","type":"INT64","flags":2}],"rows":[{"lengths":["2"],"values":"NDI="}]}}])",
       R"("table_p_ks":[{"table_name":"b","lastpk":{"fields":[{"name":"id","type":265,"flags":2}],"rows":[{"lengths":[2],"values":"NDI="}]}}])"}) {
    const auto checkpoint =
        parse_checkpoint(R"({"vgtid":[)" + entry("," + cursors) + R"(],"copy_tables":["b"],"tables":["ks"]})");
    REQUIRE(checkpoint.has_value());
    REQUIRE(checkpoint->copy->unfinished.size() == 1);
    CHECK(checkpoint->copy->unfinished[0].cursor == cursor_of("b"));
  }
}

TEST_CASE("C1: a damaged checkpoint is refused, and says why") {
  const auto with = [](const std::string& more) { return R"({"vgtid":[)" + entry(more) + R"(],"copy_tables":["a"]})"; };
  CHECK(refused("") == "the checkpoint is damaged: it is not a JSON object with a \"vgtid\"");
  CHECK(refused(R"({"vgtid":[)") == refused(""));
  CHECK(refused(R"({"vgtid":{}})") == "the checkpoint is damaged: its \"vgtid\" has no list of shards");
  CHECK(refused(R"({"vgtid":[]})") == "the position names no shard");
  CHECK(refused(with(R"(,"tablePKs":[{"tableName":"b"}])")) ==
        "the checkpoint is damaged: it has a cursor of table \"b\", which is not copied");
  CHECK(refused(with(R"(,"tablePKs":[{"tableName":"a","lastpk":{}}])")) ==
        "the checkpoint is damaged: the cursor of table \"a\" on shard \"0\" does not fit its own fields");
  CHECK(refused(with(R"(,"tablePKs":[7])")) ==
        "the checkpoint is damaged: shard \"0\" has a cursor that cannot be read");
  CHECK(refused(with(R"(,"tablePKs":7)")) == "the checkpoint is damaged: it has odd cursors");
  CHECK(refused(R"({"vgtid":[)" + entry("") + R"(],"tables":7})") ==
        "the checkpoint is damaged: \"tables\" is not a list");
}
