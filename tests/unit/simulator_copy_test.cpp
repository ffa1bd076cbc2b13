#include <catch2/catch_test_macros.hpp>
#include <map>

#include "simulator_client.h"

namespace vstream {
namespace {

using testing::Call;
using testing::request_for;
using testing::types;

bool is_final(const binlogdata::VEvent& event) {
  return event.type() == binlogdata::COPY_COMPLETED && event.keyspace().empty();
}

// A table as its events leave it: shard and primary key → row. A change for a row that is not held fails the test, but
// an insert may come again.
struct Fold {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> rows;
  std::string table;

  void add(const binlogdata::VEvent& event) {
    if (event.row_event().table_name() != table) return;
    for (const auto& change : event.row_event().row_changes()) {
      if (change.has_before()) CHECK(rows.erase({event.shard(), testing::cells(change.before())[0]}) == 1);
      if (change.has_after()) {
        auto cells = testing::cells(change.after());
        rows[{event.shard(), cells[0]}] = cells;
      }
    }
  }
};

std::int64_t last_number(const std::string& gtid) { return std::stoll(gtid.substr(gtid.find_last_of("-:") + 1)); }

// What the binlogs from their beginning make of a table at these positions.
Fold replayed(const Simulator& simulator, const std::string& table, const binlogdata::VGtid& at) {
  Fold fold{.rows = {}, .table = table};
  for (const auto& shard : at.shard_gtids()) {
    Call call(simulator, request_for({{shard.keyspace(), shard.shard(), "MySQL56/"}}));
    auto events = call.events_until([&](const auto& event) {
      return event.type() == binlogdata::COMMIT && event.sequence_number() == last_number(shard.gtid());
    });
    for (const auto& event : events) fold.add(event);
  }
  return fold;
}

TEST_CASE("simulator: a copy of one small table has the events of a recorded one") {
  auto simulator = testing::start_quiet_shop();
  vtgate::VStreamRequest request = request_for({{"commerce", "0", ""}});
  testing::add_table(request, "supplier");
  Call call(*simulator, request);
  std::vector<std::string> responses;
  std::vector<binlogdata::VEvent> events;
  do {
    auto response = call.next();
    REQUIRE(response);
    responses.push_back(types(response->events()));
    events.insert(events.end(), response->events().begin(), response->events().end());
  } while (!is_final(events.back()));
  CHECK(responses == std::vector<std::string>{"BEGIN FIELD", "VGTID", "ROW ROW ROW ROW VGTID COMMIT",
                                              "BEGIN VGTID COMMIT", "COPY_COMPLETED COPY_COMPLETED"});
  for (const auto& event : events) {
    CHECK(event.timestamp() == 0);
    CHECK(event.event_gtid().empty());
  }
  CHECK(events[1].field_event().enum_set_string_values());
  CHECK(events[2].vgtid().shard_gtids(0).table_p_ks().empty());
  const auto& cursor = events[7].vgtid().shard_gtids(0).table_p_ks(0);
  CHECK(cursor.table_name() == "supplier");
  CHECK(cursor.lastpk().ShortDebugString() ==
        R"(fields { name: "supplier_id" type: INT64 charset: 63 flags: 49667 } rows { lengths: 1 values: "4" })");
  CHECK(events[10].vgtid().shard_gtids(0).table_p_ks().empty());
}

TEST_CASE("simulator: every table of both shards is copied when the position is empty") {
  auto simulator = testing::start_quiet_shop();
  Call call(*simulator, request_for({{"customer", "", ""}}));
  Fold customers{.rows = {}, .table = "customer.customer"};
  Fold orders{.rows = {}, .table = "customer.orders"};
  binlogdata::VGtid last;
  int completed = 0;
  for (const auto& event : call.events_until(is_final)) {
    customers.add(event);
    orders.add(event);
    completed += event.type() == binlogdata::COPY_COMPLETED;
    if (event.has_vgtid()) last = event.vgtid();
  }
  CHECK(completed == 3);
  CHECK(customers.rows.size() == 24);
  CHECK(customers.rows == replayed(*simulator, "customer.customer", last).rows);
  CHECK(orders.rows == replayed(*simulator, "customer.orders", last).rows);
}

// Requests the copy of one table from where `position` stands, as a careful client does.
vtgate::VStreamRequest request_copy(const binlogdata::VGtid& position, const std::string& table,
                                    const std::vector<std::string>& tables) {
  vtgate::VStreamRequest request;
  *request.mutable_vgtid() = position;
  for (auto& shard : *request.mutable_vgtid()->mutable_shard_gtids()) {
    if (shard.table_p_ks().empty()) shard.add_table_p_ks()->set_table_name(table);
  }
  request.mutable_flags()->add_tables_to_copy(table);
  for (const std::string& name : tables) testing::add_table(request, name);
  return request;
}

TEST_CASE("simulator: one table per request over two shards gives the tables while they change") {
  auto simulator = testing::start({.rows_per_second = 300});
  Fold customers{.rows = {}, .table = "customer.customer"};
  Fold orders{.rows = {}, .table = "customer.orders"};
  binlogdata::VGtid position = request_for({{"customer", "-80", ""}, {"customer", "80-", ""}}).vgtid();
  auto take = [&](const std::vector<binlogdata::VEvent>& events) {
    for (const auto& event : events) {
      customers.add(event);
      orders.add(event);
      if (event.has_vgtid()) position = event.vgtid();
    }
  };
  {
    Call call(*simulator, request_copy(position, "customer", {"customer"}));
    take(call.events_until(is_final));
    for (int i = 0; i < 20; ++i) take(call.events_until(testing::is_commit));
  }
  {
    Call call(*simulator, request_copy(position, "orders", {"customer", "orders"}));
    take(call.events_until(is_final));
    for (int i = 0; i < 20; ++i) take(call.events_until(testing::is_commit));
  }
  CHECK(orders.rows == replayed(*simulator, "customer.orders", position).rows);
  CHECK(customers.rows == replayed(*simulator, "customer.customer", position).rows);
}

TEST_CASE("simulator: a copy goes on after the cursor that is sent back") {
  auto simulator = testing::start_quiet_shop();
  binlogdata::VGtid position = request_for({{"commerce", "0", ""}}).vgtid();
  Fold products{.rows = {}, .table = "commerce.product"};
  {
    Call call(*simulator, request_copy(position, "product", {"product"}));
    call.next();
    call.next();
    auto packet = call.next();
    REQUIRE(packet);
    for (const auto& event : packet->events()) {
      products.add(event);
      if (event.has_vgtid()) position = event.vgtid();
    }
  }
  REQUIRE(products.rows.size() == 10);
  Call call(*simulator, request_copy(position, "product", {"product"}));
  Fold rest{.rows = {}, .table = "commerce.product"};
  for (const auto& event : call.events_until(is_final)) rest.add(event);
  CHECK(rest.rows.size() == 2);
  CHECK(rest.rows.contains({"0", "11"}));
}

TEST_CASE("simulator: a position without cursors copies nothing, whatever tables_to_copy says") {
  auto simulator = testing::start({.rows_per_second = 500});
  vtgate::VStreamRequest request = request_for({{"commerce", "0", "current"}});
  request.mutable_flags()->add_tables_to_copy("supplier");
  Call call(*simulator, request);
  CHECK(types(call.events_until(testing::is_commit)).starts_with("VGTID OTHER BEGIN FIELD ROW"));
}

TEST_CASE("simulator: a table named but not begun gets no changes before its copy, with a cursor it does") {
  auto simulator = testing::start_quiet_shop();
  auto events_before_copy = [&](bool with_cursor) {
    vtgate::VStreamRequest request = request_for({{"commerce", "0", "MySQL56/"}});
    auto& cursor = *request.mutable_vgtid()->mutable_shard_gtids(0)->add_table_p_ks();
    cursor.set_table_name("supplier");
    if (with_cursor) cursor.mutable_lastpk()->add_fields()->set_name("supplier_id");
    request.mutable_flags()->add_tables_to_copy("supplier");
    testing::add_table(request, "supplier");
    Call call(*simulator, request);
    int rows = 0;
    for (const auto& event : call.events_until(is_final)) {
      if (event.timestamp() > 0) rows += event.row_event().row_changes_size();
    }
    return rows;
  };
  CHECK(events_before_copy(false) == 0);
  CHECK(events_before_copy(true) == 4);
}

TEST_CASE("simulator: a copy that cannot begin says why as a tablet does") {
  auto simulator = testing::start_quiet_shop();
  auto error_of = [&](const vtgate::VStreamRequest& request) {
    grpc::Status status = Call(*simulator, request).finish();
    CHECK(status.error_code() == grpc::StatusCode::UNKNOWN);
    std::string text = status.error_message();
    return text.substr(text.rfind(" desc = ") + 8);
  };
  vtgate::VStreamRequest nothing = request_for({{"commerce", "0", ""}});
  nothing.mutable_filter();
  CHECK(error_of(nothing) == "stream needs a position or a table to copy");

  vtgate::VStreamRequest no_fields = request_for({{"commerce", "0", "MySQL56/"}});
  auto& cursor = *no_fields.mutable_vgtid()->mutable_shard_gtids(0)->add_table_p_ks();
  cursor.set_table_name("product");
  cursor.mutable_lastpk();
  CHECK(error_of(no_fields) == "lastpk for table product has no fields defined");

  vtgate::VStreamRequest projection = request_for({{"commerce", "0", ""}});
  testing::add_rule(projection, "product", "select sku from product");
  CHECK(error_of(projection).starts_with("unsupported: "));
}

}  // namespace
}  // namespace vstream
