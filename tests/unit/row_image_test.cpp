// Rows that do not hold all their columns.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::ErrorCode;
using vstream::PartialImages;
using vstream::testing::ColumnSpec;
using vstream::testing::Response;

namespace {

struct Fed {
  std::string lines;
  vstream::Result<bool> result;
};

Fed feed(const Response& response, PartialImages partial, bool some_columns = false) {
  vstream::AssemblerOptions options;
  options.projects = [=](std::string_view) { return some_columns; };
  options.partial_images = partial;
  vstream::Assembler assembler(options);
  Fed fed{.lines = {}, .result = true};
  fed.result = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    fed.lines += vstream::testing::text_of(unit.lines);
    return true;
  });
  return fed;
}

const ColumnSpec kId = {.name = "id"};
const ColumnSpec kText = {.name = "c", .type = query::TEXT, .column_type = "text", .charset = 255, .flags = 16};
const ColumnSpec kBlob = {.name = "d", .type = query::BLOB, .column_type = "blob", .charset = 63, .flags = 16};
const ColumnSpec kJson = {.name = "j", .type = query::JSON, .column_type = "json", .charset = 63, .flags = 0};

void set_bits(binlogdata::RowChange::Bitmap& bitmap, std::int64_t count, std::string cols) {
  bitmap.set_count(count);
  bitmap.set_cols(std::move(cols));
}

Response noblob_update() {
  Response response;
  response.begin()
      .field("t", {kId, kText, kBlob})
      .row("t", {"1", std::nullopt, "x"}, {"1", std::nullopt, std::nullopt});
  set_bits(*response.change().mutable_data_columns(), 3, "\x05");  // c is absent, d is NULL
  return response;
}

bool has(const std::string& lines, std::string_view part) { return lines.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("D8: a partial row stops the run and names table, shard, GTID and columns") {
  const Fed fed = feed(noblob_update().commit(), PartialImages::kStop);
  REQUIRE_FALSE(fed.result.has_value());
  CHECK(fed.result.error().code == ErrorCode::kPartialImage);
  for (const char* const part : {"\"t\"", "ks/0", "u:1", "\"c\""}) CHECK(has(fed.result.error().message, part));
  CHECK(fed.lines.empty());
}

TEST_CASE("D8: marked, absent columns are left out and named, NULL stays null") {
  const Fed fed = feed(noblob_update().commit(), PartialImages::kMark);
  CHECK(has(fed.lines, R"("before":{"id":1,"d":"eA=="},"after":{"id":1,"d":null},"base64":["d"],"partial":["c"]})"));
}

TEST_CASE("D8: before any partial AFTER a NULL blob in a BEFORE is NULL, after it absent") {
  Response response;
  response.begin().field("t", {kId, kText, kBlob}).row("t", {"1", std::nullopt, std::nullopt}, {}).commit();
  CHECK(has(feed(response, PartialImages::kMark).lines, R"("before":{"id":1,"c":null,"d":null}})"));

  Response later = noblob_update();
  later.row("t", {"2", std::nullopt, std::nullopt}, {}).commit();
  CHECK(has(feed(later, PartialImages::kMark).lines, R"("before":{"id":2},"partial":["c","d"]})"));
}

TEST_CASE("a NOT NULL column that is NULL in a BEFORE is absent") {
  Response response;
  const ColumnSpec blob = {.name = "d", .type = query::BLOB, .column_type = "blob", .charset = 63, .flags = 17};
  response.begin().field("t", {kId, blob}).row("t", {"1", std::nullopt}, {}).commit();
  CHECK(has(feed(response, PartialImages::kMark).lines, R"("before":{"id":1},"partial":["d"]})"));
  CHECK_FALSE(feed(response, PartialImages::kStop).result.has_value());
}

TEST_CASE("D8: of a table that may miss columns a NULL blob in a BEFORE is absent from the start") {
  Response response;
  response.begin().field("t", {kId, kText, kBlob, kJson}).row("t", {"1", std::nullopt, "x", std::nullopt}, {}).commit();
  vstream::Assembler assembler(
      {.partial_images = PartialImages::kMark, .may_miss_columns = [](std::string_view shard, std::string_view table) {
         return shard == "0" && table == "t";
       }});
  CHECK(assembler.partial_tables().empty());
  std::string lines;
  const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    lines += vstream::testing::text_of(unit.lines);
    return true;
  });
  REQUIRE(fed.has_value());
  CHECK(has(lines, R"("before":{"id":1,"d":"eA=="},"base64":["d"],"partial":["c","j"]})"));
  CHECK(assembler.partial_tables() == std::set<std::pair<std::string, std::string>>{{"0", "t"}});
}

TEST_CASE("D8: a bitmap over nine columns spans two bytes") {
  Response response;
  response.begin().field("t", {{.name = "a"},
                               {.name = "b"},
                               {.name = "c"},
                               {.name = "d"},
                               {.name = "e"},
                               {.name = "f"},
                               {.name = "g"},
                               {.name = "h"},
                               {.name = "i"}});
  response.row("t", {}, {"1", "2", "3", "4", "5", "6", "7", "8", std::nullopt});
  set_bits(*response.change().mutable_data_columns(), 9, std::string("\xff\x00", 2));
  response.commit();
  CHECK(has(feed(response, PartialImages::kMark).lines, R"("h":8},"partial":["i"]})"));
}

TEST_CASE("a compact row has values only for the columns that are present") {
  Response response;
  response.begin().field("t", {kId, kText, kBlob}).row("t", {}, {"1", "x"});
  set_bits(*response.change().mutable_data_columns(), 3, "\x05");
  response.commit();
  CHECK(
      has(feed(response, PartialImages::kMark).lines, R"("after":{"id":1,"d":"eA=="},"base64":["d"],"partial":["c"])"));
}

TEST_CASE("a bitmap for another number of columns cannot be mapped") {
  Response response;
  response.begin().field("t", {kId}).row("t", {}, {"1"});
  set_bits(*response.change().mutable_data_columns(), 2, "\x03");
  response.commit();
  const Fed fed = feed(response, PartialImages::kMark);
  REQUIRE_FALSE(fed.result.has_value());
  CHECK(fed.result.error().code == ErrorCode::kDecode);
}

TEST_CASE("D7: a JSON diff is never printed as the value") {
  Response response;
  response.begin().field("t", {kId, kJson}).row("t", {"1", R"({"a": 1})"}, {"1", "JSON_REPLACE(%s, _utf8mb4'$.a', 2)"});
  set_bits(*response.change().mutable_data_columns(), 2, "\x03");
  set_bits(*response.change().mutable_json_partial_values(), 1, "\x01");
  response.commit();
  CHECK(has(
      feed(response, PartialImages::kMark).lines,
      R"x("before":{"id":1,"j":{"a": 1}},"after":{"id":1},"json_diff":{"j":"JSON_REPLACE(%s, _utf8mb4'$.a', 2)"}})x"));
  CHECK_FALSE(feed(response, PartialImages::kStop).result.has_value());
}

TEST_CASE("D7: an empty JSON diff means unchanged: the value of the BEFORE image") {
  Response response;
  response.begin().field("t", {kId, kJson}).row("t", {"1", "[1]"}, {"1", ""});
  set_bits(*response.change().mutable_data_columns(), 2, "\x03");
  set_bits(*response.change().mutable_json_partial_values(), 1, "\x01");
  response.commit();
  CHECK(has(feed(response, PartialImages::kMark).lines, R"("after":{"id":1,"j":[1]}})"));
}

TEST_CASE("D7: the bitmap of JSON diffs counts JSON columns only") {
  Response response;
  const ColumnSpec second = {.name = "k", .type = query::JSON, .column_type = "json", .charset = 63, .flags = 0};
  response.begin().field("t", {kJson, kId, second});
  response.row("t", {"[1]", "1", "[2]"}, {"[3]", "1", "JSON_REMOVE(%s, '$[0]')"});
  set_bits(*response.change().mutable_json_partial_values(), 2, "\x02");
  response.commit();
  CHECK(has(feed(response, PartialImages::kMark).lines,
            R"x("after":{"j":[3],"id":1},"json_diff":{"k":"JSON_REMOVE(%s, '$[0]')"}})x"));
}

TEST_CASE("D18: lengths that do not add up are refused") {
  for (const auto& [length, word] : {std::pair(4, "cut"), std::pair(2, "left over")}) {
    Response response;
    response.begin().field("t", {kId, kText}).row("t", {}, {"1", "abc"});
    response.change().mutable_after()->set_lengths(1, length);
    response.commit();
    const Fed fed = feed(response, PartialImages::kStop);
    REQUIRE_FALSE(fed.result.has_value());
    CHECK(has(fed.result.error().message, word));
  }
}

TEST_CASE("D7, D8: a row that misses columns cannot be mapped when only some columns were selected") {
  Response noblob;
  noblob.begin().field("t", {kId, kText}).row("t", {"1", "x"}, {"1", std::nullopt});
  set_bits(*noblob.change().mutable_data_columns(), 4, "\x05");
  Response as_many = noblob;  // as many columns as the table has, but perhaps in another order
  set_bits(*as_many.change().mutable_data_columns(), 2, "\x01");
  Response json;  // select id, j2 from (id, j1, j2): the bit is j1's
  json.begin().field("t", {kId, kJson}).row("t", {"1", "{}"}, {"1", "{}"});
  set_bits(*json.change().mutable_data_columns(), 3, "\x07");
  set_bits(*json.change().mutable_json_partial_values(), 2, "\x01");
  for (const Response& response : {noblob, as_many, json}) {
    for (const PartialImages images : {PartialImages::kStop, PartialImages::kMark}) {
      const Fed fed = feed(response, images, true);
      REQUIRE_FALSE(fed.result);
      CHECK(fed.result.error().code == ErrorCode::kPartialImage);
      CHECK(fed.result.error().message.find("GTID u:1") != std::string::npos);
      CHECK(fed.lines.empty());
    }
  }
}
