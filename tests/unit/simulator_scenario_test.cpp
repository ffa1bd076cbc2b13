#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "scenario_file.h"

namespace vstream {
namespace {

using testing::Call;
using testing::request_for;
using testing::shop_gtid;
using testing::shop_scenario;
using testing::start_scenario;
using testing::types;

const std::vector<testing::Start> kFromNow{{"shop", "0", "current"}};

std::string types_of(const std::optional<vtgate::VStreamResponse>& response) {
  return response ? types(response->events()) : "the end";
}

TEST_CASE("scenario: a transaction is a whole response with its position") {
  auto simulator = start_scenario(shop_scenario(R"([[{"transaction": [
      {"insert": "product", "rows": [[1, "tea"], [2, null]]}, {"update": "product", "before": [1, "tea"], "after": {"id": 1}},
      {"delete": "product", "row": [2, null]}], "gtid": 7}]])"));
  Call call(*simulator, request_for(kFromNow));
  auto response = call.next();
  REQUIRE(types_of(response) == "BEGIN FIELD ROW ROW ROW VGTID COMMIT");
  CHECK(response->events(1).field_event().table_name() == "shop.product");
  CHECK(response->events(2).row_event().row_changes_size() == 2);
  CHECK(testing::cells(response->events(2).row_event().row_changes(1).after()) ==
        std::vector<std::string>{"2", "NULL"});
  CHECK(testing::cells(response->events(3).row_event().row_changes(0).after()) ==
        std::vector<std::string>{"1", "NULL"});
  CHECK_FALSE(response->events(4).row_event().row_changes(0).has_after());
  CHECK(response->events(5).vgtid().shard_gtids(0).gtid() == shop_gtid("1-7"));
  CHECK(response->events(6).event_gtid() == "00000000-0000-0000-0000-000000000101:7");
  CHECK(response->events(6).timestamp() == 1'767'225'607);
}

TEST_CASE("scenario: a bar begins another response, and split cuts them to a number of events") {
  auto simulator = start_scenario(shop_scenario(R"([[{"send": ["begin", "|", "heartbeat", "|", "rollback"]},
      {"split": 2}, {"send": ["begin", "vgtid", "commit"]}, {"split": 0}, {"ddl": "drop table product"}]])"));
  Call call(*simulator, request_for(kFromNow));
  for (const char* expected : {"BEGIN", "HEARTBEAT", "ROLLBACK", "BEGIN VGTID", "COMMIT", "VGTID DDL"}) {
    CHECK(types_of(call.next()) == expected);
  }
}

TEST_CASE("scenario: events in protobuf JSON go out as they are") {
  auto simulator = start_scenario(shop_scenario(R"([[{"send": [{"type": "JOURNAL", "journal": {"id": "5"}},
      {"type": "OTHER", "keyspace": "elsewhere", "shard": "-"}, {"vgtid": {"gtid": "MySQL56/x", "copying": {"t": null}}}]}]])"));
  Call call(*simulator, request_for(kFromNow));
  auto response = call.next();
  REQUIRE(types_of(response) == "JOURNAL OTHER VGTID");
  CHECK(response->events(0).journal().id() == 5);
  CHECK(response->events(0).shard() == "0");
  CHECK(response->events(1).keyspace() == "elsewhere");
  CHECK(response->events(2).vgtid().shard_gtids(0).gtid() == "MySQL56/x");
  CHECK(response->events(2).vgtid().shard_gtids(0).table_p_ks(0).table_name() == "t");
}

TEST_CASE("scenario: a copy is sent in packets, its cursor goes along and leaves at the end") {
  auto simulator = start_scenario(
      shop_scenario(R"([[{"copy": "product", "gtid": 4, "rows": [[1, "a"], [2, "b"], [3, "c"]], "packet_rows": 2},
                         {"send": ["copy_completed", "all_copied"]}]])"));
  Call call(*simulator, request_for({{"shop", "0", ""}}));
  CHECK(types_of(call.next()) == "BEGIN FIELD");
  auto snapshot = call.next();
  REQUIRE(types_of(snapshot) == "VGTID");
  CHECK(snapshot->events(0).vgtid().shard_gtids(0).gtid() == shop_gtid("1-4"));
  auto packet = call.next();
  REQUIRE(types_of(packet) == "ROW ROW VGTID COMMIT");
  const auto& cursor = packet->events(2).vgtid().shard_gtids(0).table_p_ks(0).lastpk();
  CHECK(cursor.fields(0).name() == "id");
  CHECK(testing::cells(cursor.rows(0)) == std::vector<std::string>{"2"});
  CHECK(types_of(call.next()) == "BEGIN");
  CHECK(types_of(call.next()) == "ROW VGTID COMMIT");
  auto done = call.next();
  REQUIRE(types_of(done) == "BEGIN VGTID COMMIT");
  CHECK(done->events(1).vgtid().shard_gtids(0).table_p_ks().empty());
  CHECK(types_of(call.next()) == "COPY_COMPLETED COPY_COMPLETED");
}

TEST_CASE("scenario: a request that is not as expected ends the call and says how it differs") {
  std::string heard;
  auto simulator = start_scenario(
      shop_scenario(
          R"([[{"position": 9}, {"end": true}], [{"expect": {"positions": {"shop/0": 5}, "tables": ["product"],
          "tablet_type": "replica", "flags": {"heartbeat_interval": 2}, "tables_to_copy": []}}]])"),
      [&](LogLevel level, std::string_view text) {
        if (level == LogLevel::kError) heard = text;
      });
  CHECK(Call(*simulator, request_for(kFromNow)).finish().ok());
  vtgate::VStreamRequest request = request_for({{"shop", "0", shop_gtid("1-4")}});
  request.mutable_flags()->set_heartbeat_interval(1);
  testing::add_rule(request, "/.*/");
  grpc::Status status = Call(*simulator, request).finish();
  CHECK(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
  CHECK(status.error_message() ==
        "the request is not as $.calls[1][0].expect wants it: positions: expected shop/0 at \"" + shop_gtid("1-5") +
            "\", got shop/0 at \"" + shop_gtid("1-4") +
            "\"; filter: expected product: \"select * from `product`\", got /.*/: \"\"; tablet type: expected REPLICA, "
            "got UNKNOWN; flags: expected heartbeat_interval: 2, got heartbeat_interval: 1");
  CHECK(heard == status.error_message());
  CHECK(simulator->unexpected_calls() == 1);
}

TEST_CASE("scenario: a request that is as expected plays on, however its position is written") {
  auto simulator = start_scenario(shop_scenario(
      R"([[{"expect": {"positions": {"shop/0": {"gtid": 5, "copying": {"product": [3]}}}, "filter": {"product": "x"}}},
           {"position": 6}, {"end": true}]])"));
  vtgate::VStreamRequest request = request_for({{"shop", "0", shop_gtid("1-2:3-5")}});
  binlogdata::TableLastPK& cursor = *request.mutable_vgtid()->mutable_shard_gtids(0)->add_table_p_ks();
  cursor.set_table_name("product");
  cursor.mutable_lastpk()->add_fields()->set_name("id");
  cursor.mutable_lastpk()->add_rows()->add_lengths(1);
  cursor.mutable_lastpk()->mutable_rows(0)->set_values("3");
  testing::add_rule(request, "product", "x");
  Call call(*simulator, request);
  CHECK(types_of(call.next()) == "VGTID OTHER");
  CHECK(call.finish().ok());
  CHECK(simulator->unexpected_calls() == 0);
}

TEST_CASE("scenario: calls play the scripts in order, as often as each says, and the last one again") {
  auto simulator = start_scenario(shop_scenario(
      R"([{"times": 2, "steps": [{"error": "UNAVAILABLE", "text": "gone"}]}, [{"error": "UNKNOWN", "text": "odd"}]])"));
  using grpc::StatusCode;
  for (auto code : {StatusCode::UNAVAILABLE, StatusCode::UNAVAILABLE, StatusCode::UNKNOWN, StatusCode::UNKNOWN}) {
    CHECK(Call(*simulator, request_for(kFromNow)).finish().error_code() == code);
  }
}

TEST_CASE("scenario: a script for one keyspace is not played to calls of another") {
  auto simulator = start_scenario(R"({"keyspaces": {"a": {"shards": ["0"]}, "b": {"shards": ["0"]}}, "calls": [
      {"keyspace": "b", "steps": [{"error": "UNKNOWN", "text": "of b"}]},
      {"keyspace": "a", "steps": [{"error": "UNKNOWN", "text": "of a"}]}]})");
  CHECK(Call(*simulator, request_for({{"a", "0", "current"}})).finish().error_message() == "of a");
  CHECK(Call(*simulator, request_for({{"b", "0", "current"}})).finish().error_message() == "of b");
}

TEST_CASE("scenario: after the last call the stream can end at once") {
  auto simulator =
      start_scenario(shop_scenario(R"([[{"error": "UNKNOWN", "text": ""}]])", R"(, "after_last_call": "end")"));
  CHECK_FALSE(Call(*simulator, request_for(kFromNow)).finish().ok());
  CHECK(Call(*simulator, request_for(kFromNow)).finish().ok());
}

TEST_CASE("scenario: a hung call sends nothing, not even the heartbeats that were asked for") {
  auto simulator = start_scenario(shop_scenario(R"([[{"hang": "1500ms"}, {"position": 1}]])"));
  vtgate::VStreamRequest request = request_for(kFromNow);
  request.mutable_flags()->set_heartbeat_interval(1);
  CHECK(types_of(Call(*simulator, request).next()) == "VGTID OTHER");
}

TEST_CASE("scenario: heartbeats come as many as are wanted, before any shard") {
  auto simulator = start_scenario(shop_scenario(R"([[{"heartbeats": 2}, {"position": 1}]])"));
  Call call(*simulator, request_for(kFromNow));
  CHECK(types_of(call.next()) == "HEARTBEAT");
  CHECK(types_of(call.next()) == "HEARTBEAT");
  CHECK(types_of(call.next()) == "VGTID OTHER");
}

TEST_CASE("scenario: after the last step a call stays open, with the heartbeats that were asked for") {
  auto simulator = start_scenario(shop_scenario("[[]]"));
  vtgate::VStreamRequest request = request_for(kFromNow);
  request.mutable_flags()->set_heartbeat_interval(1);
  CHECK(types_of(Call(*simulator, request).next()) == "HEARTBEAT");
}

TEST_CASE("scenario: a cut connection is reset after what was sent, and the next call has a new one") {
  auto simulator =
      start_scenario(shop_scenario(R"([[{"position": 1}, {"load": "product", "rows": 20, "row_bytes": 100000},
                                                     {"wait": "go"}, {"cut": true}], [{"position": 3}]])"));
  for (int i = 0; i < 2; ++i) {
    Call call(*simulator, request_for(kFromNow));
    CHECK(types_of(call.next()) == "VGTID OTHER");
    if (i == 1) return;
    CHECK(types(call.events_until(testing::is_commit)).ends_with("ROW VGTID COMMIT"));
    simulator->go();
    grpc::Status status = call.finish();
    CHECK(status.error_code() == grpc::StatusCode::UNAVAILABLE);
    CHECK(status.error_message().find("reset by peer") != std::string::npos);
  }
}

TEST_CASE("scenario: load is made as it is sent, in responses of the wanted size") {
  auto simulator = start_scenario(shop_scenario(
      R"([[{"load": "product", "times": 2, "rows": 10, "row_bytes": 1000, "response_bytes": 2500, "gtid": 5}]])"));
  Call call(*simulator, request_for(kFromNow));
  for (int transaction = 0; transaction < 2; ++transaction) {
    std::vector<std::string> keys;
    for (int responses = 1;; ++responses) {
      auto response = call.next();
      REQUIRE(response);
      CHECK(response->ByteSizeLong() < 4000);
      for (const auto& event : response->events()) {
        for (const auto& change : event.row_event().row_changes()) {
          keys.push_back(testing::cells(change.after())[0]);
          CHECK(change.after().values().size() == 1000);
        }
      }
      if (!testing::is_commit(response->events(response->events_size() - 1))) continue;
      CHECK(responses == 5);
      break;
    }
    REQUIRE(keys.size() == 10);
    CHECK(keys.front() == std::to_string(10 * (4 + transaction) + 1));
  }
}

TEST_CASE("scenario: VTGate's own rules hold and use up no script") {
  const std::string text =
      R"({"keyspaces": {"shop": {"shards": {"0": {"executed": 20, "purged": 5, "tablets": ["primary",
      {"type": "replica", "serving": false}]}}, "tables": {"product": ["id bigint primary key"]}}},
      "calls": [[{"end": true}], [{"error": "UNKNOWN", "text": "the second"}]])";
  auto simulator = start_scenario(text + "}");
  auto error = [&](const vtgate::VStreamRequest& request) {
    return Call(*simulator, request).finish().error_message();
  };
  CHECK(error(request_for({{"shop", "1", "current"}})).find("shard provided in VGTID, 1, not found") !=
        std::string::npos);
  CHECK(error(request_for({{"shop", "0", shop_gtid("1-4")}})).find("failed to find a PRIMARY tablet") !=
        std::string::npos);
  CHECK(error(request_for({{"shop", "0", shop_gtid("1-21")}})).find("failed to find a PRIMARY tablet") !=
        std::string::npos);
  CHECK(error(request_for({{"shop", "0", "nonsense"}})).find("could not decode position") != std::string::npos);
  vtgate::VStreamRequest replica = request_for(kFromNow);
  replica.set_tablet_type(topodata::REPLICA);
  CHECK(error(replica).find("failed to find a REPLICA tablet") != std::string::npos);
  vtgate::VStreamRequest cursor = request_for({{"shop", "0", shop_gtid("1-9")}});
  auto& entry = *cursor.mutable_vgtid()->mutable_shard_gtids(0)->add_table_p_ks();
  entry.set_table_name("product");
  entry.mutable_lastpk();
  CHECK(error(cursor).find("lastpk for table product has no fields defined") != std::string::npos);
  CHECK(error(request_for(kFromNow)).empty());

  auto lax = start_scenario(text + R"(, "rules": false})");
  CHECK(Call(*lax, cursor).finish().ok());
  CHECK(Call(*lax, replica).finish().error_message() == "the second");
}

TEST_CASE("scenario: statements get the answers that are written down, then those of the topology") {
  auto simulator = start_scenario(shop_scenario("[[]]", R"(, "sql": [
      {"query": "select @@global.gtid_purged%", "target": "shop:0@replica", "columns": ["p"], "rows": [["x"], [null]]},
      {"query": "show  TABLES", "error": "UNAVAILABLE", "text": "no healthy tablet", "times": 1}])"));
  auto first = testing::execute(*simulator, "SELECT @@global.gtid_purged,\n @@x", "shop:0@replica");
  REQUIRE(first.result().rows_size() == 2);
  CHECK(testing::cells(first.result().rows(1))[0] == "NULL");
  CHECK(first.session().target_string() == "shop:0@replica");
  auto other = testing::execute(*simulator, "select @@global.gtid_purged", "shop:0@primary");
  CHECK(testing::cells(other.result().rows(0))[0].empty());
  CHECK(testing::execute(*simulator, "show tables", "shop").error().code() == vtrpc::UNAVAILABLE);
  CHECK(testing::execute(*simulator, "show tables", "shop").result().rows_size() == 1);
}

TEST_CASE("scenario: a tablet is asked by its alias and has a server of its own") {
  auto simulator = start_scenario(R"({"keyspaces": {"shop": {"shards": {"0": {"executed": 9, "tablets": ["primary",
      {"type": "replica", "purged": 4}, {"type": "replica", "alias": "zone1-0000000777", "executed": 7}]}}}}, "calls": [[]]})");
  auto ask = [&](const std::string& alias) {
    auto answer = testing::execute(*simulator, "select @@server_uuid, @@global.gtid_executed, @@global.gtid_purged",
                                   "shop:0@replica|" + alias);
    return testing::cells(answer.result().rows(0));
  };
  const std::string server = "00000000-0000-0000-0000-000000000101";
  CHECK(ask("zone1-0000000102") ==
        std::vector<std::string>{"00000000-0000-0000-0000-000000000102", server + ":1-9", server + ":1-4"});
  CHECK(ask("zone1-0000000777") ==
        std::vector<std::string>{"00000000-0000-0000-0000-000000000777", server + ":1-7", ""});
  CHECK(testing::execute(*simulator, "select @@server_uuid", "shop:0@replica|zone1-1").error().code() ==
        vtrpc::UNAVAILABLE);
}

}  // namespace
}  // namespace vstream
