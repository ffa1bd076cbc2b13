#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "simulator/shard_log.h"
#include "simulator_client.h"

namespace vstream {
namespace {

using testing::Call;
using testing::is_commit;
using testing::request_for;
using testing::types;

std::string commerce_uuid(const Simulator& simulator) {
  std::string executed =
      testing::cells(testing::execute(simulator, "select @@global.gtid_executed", "commerce:0").result().rows(0))[0];
  return executed.substr(0, executed.find(':'));
}

TEST_CASE("simulator: current begins with the resolved position and goes on live") {
  auto simulator = testing::start({.rows_per_second = 500});
  Call call(*simulator, request_for({{"commerce", "0", "current"}}));
  auto first = call.next();
  REQUIRE(first);
  REQUIRE(types(first->events()) == "VGTID OTHER");
  std::string resolved = first->events(0).vgtid().shard_gtids(0).gtid();
  std::string uuid = commerce_uuid(*simulator);
  REQUIRE(resolved.starts_with("MySQL56/" + uuid + ":1-"));
  std::int64_t last = std::stoll(resolved.substr(resolved.rfind('-') + 1));

  auto events = call.events_until(is_commit);
  CHECK(types(events) == "BEGIN FIELD ROW VGTID COMMIT");
  CHECK(events[0].event_gtid() == uuid + ":" + std::to_string(last + 1));
  CHECK(events[0].timestamp() > 0);
  CHECK(events[0].keyspace() == "commerce");
  CHECK(events[0].shard() == "0");
  CHECK(events[1].field_event().table_name() == "commerce.product");
  CHECK(events[3].vgtid().shard_gtids(0).gtid() == "MySQL56/" + uuid + ":1-" + std::to_string(last + 1));
  CHECK(events[3].timestamp() == 0);
  CHECK(events[3].event_gtid().empty());

  auto second = call.events_until(is_commit);
  CHECK(types(second).find("FIELD") == std::string::npos);
}

TEST_CASE("simulator: a concrete position brings everything after it and nothing before") {
  auto simulator = testing::start_quiet_shop();
  std::string uuid = commerce_uuid(*simulator);
  Call call(*simulator, request_for({{"commerce", "0", "MySQL56/" + uuid + ":1-2"}}));
  auto events = call.events_until(is_commit);
  CHECK(events.front().event_gtid() == uuid + ":3");

  Call holes(*simulator, request_for({{"commerce", "0", "MySQL56/" + uuid + ":1-3:5-6"}}));
  CHECK(holes.events_until(is_commit).front().event_gtid() == uuid + ":4");
  events = holes.events_until(is_commit);
  CHECK(events.front().event_gtid() == uuid + ":7");
  CHECK(events[events.size() - 2].vgtid().shard_gtids(0).gtid() == "MySQL56/" + uuid + ":1-7");
}

TEST_CASE("simulator: VGTIDs carry every shard of the stream, the others as they are") {
  auto simulator = testing::start_quiet_shop();
  Call call(*simulator, request_for({{"customer", "", "current"}}));
  auto first = call.next();
  REQUIRE(first);
  const binlogdata::VGtid& vgtid = first->events(0).vgtid();
  REQUIRE(vgtid.shard_gtids_size() == 2);
  CHECK(vgtid.shard_gtids(0).shard() == "-80");
  CHECK(vgtid.shard_gtids(0).gtid().starts_with("MySQL56/"));
  CHECK(vgtid.shard_gtids(1).gtid() == "current");  // not begun yet
  auto second = call.next();
  REQUIRE(second);
  CHECK(second->events(0).shard() == "80-");
  CHECK(second->events(0).vgtid().shard_gtids(1).gtid().starts_with("MySQL56/"));
}

// Everything in the binlog of a shard, without the times of day.
std::vector<std::string> history(const Simulator& simulator) {
  std::string last =
      testing::cells(testing::execute(simulator, "select @@global.gtid_executed", "customer:-80").result().rows(0))[0];
  last.erase(last.rfind("1-"), 2);
  Call call(simulator, request_for({{"customer", "-80", "MySQL56/"}}));
  std::vector<std::string> rows;
  for (const auto& event : call.events_until([&](const auto& e) { return is_commit(e) && e.event_gtid() == last; })) {
    rows.push_back(event.row_event().SerializeAsString() + event.event_gtid());
  }
  return rows;
}

TEST_CASE("simulator: one seed makes one history, another seed another") {
  auto one = testing::start({.rows_per_second = 0, .seed = 7});
  auto same = testing::start({.rows_per_second = 0, .seed = 7});
  auto other = testing::start({.rows_per_second = 0, .seed = 8});
  auto rows = history(*one);
  CHECK(rows.size() > 20);
  CHECK(rows == history(*same));
  CHECK(rows != history(*other));
}

TEST_CASE("simulator: orders, updates and deletes arrive, several rows in some transactions") {
  auto simulator = testing::start({.rows_per_second = 5000});
  Call call(*simulator, request_for({{"", "", "current"}}));
  std::set<std::string> seen;
  while (seen.size() < 6) {
    auto response = call.next();
    REQUIRE(response);
    int rows = 0;
    for (const auto& event : response->events()) {
      for (const auto& change : event.row_event().row_changes()) {
        ++rows;
        std::string op = change.has_before() ? (change.has_after() ? " update" : " delete") : " insert";
        std::string name = event.row_event().table_name() + op;
        if (name == "customer.orders insert" || name == "customer.orders update" || name == "customer.orders delete" ||
            name == "customer.customer insert" || name == "commerce.product update") {
          seen.insert(name);
        }
      }
    }
    if (rows > 2) seen.insert("several rows");
  }
  SUCCEED();
}

TEST_CASE("simulator: a filter lets through what its rules match, unanchored as in Go") {
  auto simulator = testing::start({.rows_per_second = 2000});
  auto tables_with = [&](const auto& add) {
    vtgate::VStreamRequest request = request_for({{"customer", "-80", "MySQL56/"}});
    add(request);
    Call call(*simulator, request);
    std::set<std::string> tables;
    for (int i = 0; i < 60; ++i) {
      for (const auto& event : call.events_until(is_commit)) tables.insert(event.row_event().table_name());
    }
    tables.erase("");
    return tables;
  };
  CHECK(tables_with([](auto&) {}) == std::set<std::string>{"customer.customer", "customer.orders"});
  CHECK(tables_with([](auto& r) { testing::add_table(r, "orders"); }) == std::set<std::string>{"customer.orders"});
  CHECK(tables_with([](auto& r) { testing::add_rule(r, "/rde/"); }) == std::set<std::string>{"customer.orders"});
  CHECK(tables_with([](auto& r) { testing::add_rule(r, "/^rde/"); }).empty());
  CHECK(tables_with([](auto& r) { r.mutable_filter(); }).empty());
  CHECK(tables_with([](auto& r) { r.mutable_flags()->set_exclude_keyspace_from_table_name(true); }) ==
        std::set<std::string>{"customer", "orders"});
}

TEST_CASE("simulator: heartbeats come when nothing else does, and name no shard") {
  auto simulator = testing::start_quiet_shop();
  vtgate::VStreamRequest request = request_for({{"commerce", "0", "current"}});
  request.mutable_flags()->set_heartbeat_interval(1);
  Call call(*simulator, request);
  auto events = call.events_until([](const auto& event) { return event.type() == binlogdata::HEARTBEAT; });
  CHECK(types(events) == "VGTID OTHER HEARTBEAT");
  CHECK(events.back().keyspace().empty());
  CHECK(events.back().timestamp() > 0);
  CHECK(events.back().current_time() / 1'000'000'000 == events.back().timestamp());
}

TEST_CASE("simulator: many clients stream at once and leave when they like") {
  auto simulator = testing::start({.rows_per_second = 5000});
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(std::make_unique<Call>(*simulator, request_for({{"", "", "current"}})));
  }
  for (auto& call : calls) {
    call->events_until(is_commit);
    call->cancel();
    CHECK(call->finish().error_code() == grpc::StatusCode::CANCELLED);
  }
}

TEST_CASE("simulator: destroying it ends the streams that run") {
  auto simulator = testing::start({.rows_per_second = 5000});
  Call busy(*simulator, request_for({{"", "", "current"}}));
  busy.events_until(is_commit);
  Call idle(*simulator, request_for({{"commerce", "0", "current"}}));
  REQUIRE(idle.next());
  simulator.reset();
  CHECK_FALSE(busy.finish().ok());
  CHECK_FALSE(idle.finish().ok());
}

TEST_CASE("simulator: a shard's binlog keeps its last transactions only") {
  simulator::ShardLog log("0", Uuid{}, 3);
  for (int i = 1; i <= 5; ++i) {
    log.commit({{.table = &simulator::shop_schema().supplier,
                 .after = simulator::Row{std::to_string(i), "name", "DE", simulator::Cell()}}});
  }
  CHECK(log.purged().to_string() == "00000000-0000-0000-0000-000000000000:1-2");
  CHECK(log.executed().to_string() == "00000000-0000-0000-0000-000000000000:1-5");
  CHECK_FALSE(log.read(2, 10).has_value());
  auto kept = log.read(3, 2);
  REQUIRE(kept);
  REQUIRE(kept->size() == 2);
  CHECK(kept->front()->number == 3);
  CHECK(log.read(6, 10)->empty());
  CHECK(log.snapshot(simulator::shop_schema().supplier, 3).rows.size() == 2);
}

}  // namespace
}  // namespace vstream
