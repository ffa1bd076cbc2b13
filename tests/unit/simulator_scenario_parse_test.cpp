#include <catch2/catch_test_macros.hpp>
#include <string>

#include "scenario_file.h"
#include "simulator/scenario.h"

namespace vstream {
namespace {

using simulator::parse_scenario;
using testing::shop_scenario;

std::string error_of(const std::string& text) {
  auto scenario = parse_scenario(text, "a.json");
  REQUIRE_FALSE(scenario);
  CHECK(scenario.error().code == ErrorCode::kInvalidFile);
  CHECK(scenario.error().message.find("\"a.json\"") != std::string::npos);
  return scenario.error().message;
}

bool holds(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("scenario: what is no JSON is refused with line and column") {
  CHECK(holds(error_of("{\n  \"calls\": [}"), "line 2, column 13"));
  CHECK(holds(error_of(""), "is no JSON"));
  CHECK(holds(error_of(R"({"calls": 1e999})"), "is no JSON: number overflow"));
  CHECK(holds(error_of(std::string(100'000, '[') + std::string(100'000, ']')), "it is more than 100 deep"));
}

TEST_CASE("scenario: every fault is told at once, each with its place") {
  const std::string error = error_of(R"({"keyspaces": {"shop": {"shards": ["0"], "tables": {"t": ["id bigintt"]}}},
      "calls": [[{"wait": "5"}, {"sned": []}], {"steps": [{"heartbeats": 0}]}], "after_last_call": "stop"})");
  CHECK(holds(error, R"($.keyspaces.shop.tables.t[0]: "id bigintt" has no type that is known)"));
  CHECK(holds(error, R"($.calls[0][0].wait: "5" is no duration)"));
  CHECK(holds(error, "$.calls[0][1]: this is no step"));
  CHECK(holds(error, "$.calls[1].steps[0].heartbeats: 0 is no whole number of at least 1"));
  CHECK(holds(error, R"($.after_last_call: "stop" is none of "repeat")"));
}

TEST_CASE("scenario: a word that is not known is refused with those that are") {
  CHECK(holds(error_of(shop_scenario("[[]]", R"(, "call": 1)")), R"($.call: there is no "call" here, only)"));
  CHECK(holds(error_of(shop_scenario(R"([[{"wait": "1s", "shard": "shop/0"}]])")),
              R"($.calls[0][0].shard: there is no)"));
  CHECK(holds(error_of(shop_scenario(R"([[{"send": ["beginn"]}]])")),
              R"($.calls[0][0].send[0]: there is no event "beginn")"));
  CHECK(holds(error_of(shop_scenario(R"([[{"error": "DOWN", "text": ""}]])")),
              R"("DOWN" is no code of an error: CANCELLED)"));
}

TEST_CASE("scenario: names that are not declared are refused") {
  CHECK(holds(error_of(shop_scenario(R"([[{"position": 1, "shard": "shop/1"}]])")), R"(there is no shard "shop/1")"));
  CHECK(holds(error_of(shop_scenario(R"([[{"copy": "orders"}]])")), R"(the keyspace "shop" has no table "orders")"));
  CHECK(holds(error_of(shop_scenario(R"([{"keyspace": "stock", "steps": []}])")), R"(there is no keyspace "stock")"));
  CHECK(holds(error_of(R"({"keyspaces": {"shop": {"shards": ["-80", "80-"]}}, "calls": [[{"position": 1}]]})"),
              R"($.calls[0][0]: "shard" is missing: there is more than one)"));
}

TEST_CASE("scenario: rows have to fit their table") {
  auto error = [](const std::string& row) {
    return error_of(shop_scenario(R"([[{"transaction": [{"insert": "product", "row": )" + row + "}]}]]"));
  };
  CHECK(holds(error("[1]"), "$.calls[0][0].transaction[0].row: 1 values for the 2 columns of \"product\""));
  CHECK(holds(error(R"({"id": 1, "nmae": "tea"})"), R"(row.nmae: the table "product" has no column "nmae")"));
  CHECK(holds(error(R"([1, {"base64": "?"}])"), "row[1].base64: this is no base64"));
  CHECK(holds(error(R"([1, ["tea"]])"), R"(row[1]: ["tea"] is no object)"));
}

TEST_CASE("scenario: an event in protobuf JSON has to be one") {
  CHECK(holds(error_of(shop_scenario(R"([[{"send": [{"type": "BEGIN", "timestmap": 1}]}]])")), "timestmap"));
}

TEST_CASE("scenario: flags that VStreamFlags does not have are refused") {
  CHECK(holds(error_of(shop_scenario(R"([[{"expect": {"flags": {"heartbeat": 1}}}]])")),
              R"($.calls[0][0].expect.flags.heartbeat: VStreamFlags has no field "heartbeat")"));
  CHECK(holds(error_of(shop_scenario(R"([[{"expect": {"flags": {"heartbeat_interval": "x"}}}]])")),
              "cannot have this value"));
}

TEST_CASE("scenario: an answer to SQL is rows or an error") {
  CHECK(holds(error_of(shop_scenario("[[]]", R"(, "sql": [{"query": "select 1"}])")), "$.sql[0]: there is no answer"));
}

TEST_CASE("scenario: transactions without a number are numbered on, also over calls") {
  auto scenario = parse_scenario(
      shop_scenario(
          R"([[{"position": 10}, {"transaction": []}, {"send": ["begin"]}, {"ddl": "x"}], [{"transaction": []}]])"),
      "a.json");
  REQUIRE(scenario);
  auto number = [&](std::size_t call, std::size_t step) {
    return std::get<simulator::SendStep>(scenario->calls[call].steps[step]).place.number;
  };
  CHECK(number(0, 1) == 11);
  CHECK(number(0, 2) == 12);
  CHECK(number(0, 3) == 12);  // the transaction that was begun had no position
  CHECK(number(1, 0) == 13);
}

TEST_CASE("scenario: a server has executed what the scripts speak of, if nothing else is said") {
  auto scenario = parse_scenario(shop_scenario(R"([[{"load": "product", "gtid": 5, "times": 3}]])"), "a.json");
  REQUIRE(scenario);
  const std::string uuid = "00000000-0000-0000-0000-000000000101";
  for (const auto& [alias, server] : scenario->tablets) CHECK(server.executed.to_string() == uuid + ":1-7");
}

TEST_CASE("scenario: columns are described as MySQL describes them") {
  auto scenario = parse_scenario(R"json({"keyspaces": {"shop": {"shards": ["0"], "tables": {"t": [
      "id int unsigned not null primary key", "kind enum('a b','c)') not null", "name char(2)", "doc json"]}}},
      "calls": [[]]})json",
                                 "a.json");
  REQUIRE(scenario);
  const auto& fields = scenario->tables.at({"shop", "t"}).fields;
  REQUIRE(fields.size() == 4);
  CHECK(fields[0].type() == query::UINT32);
  CHECK(fields[0].column_type() == "int unsigned");
  CHECK((fields[0].flags() & 2U) != 0);  // PRI_KEY
  CHECK(fields[1].column_type() == "enum('a b','c)')");
  CHECK(fields[2].column_length() == 8);
  CHECK(fields[2].charset() == 255);
  CHECK(fields[3].charset() == 63);
}

}  // namespace
}  // namespace vstream
