// Structs from rows: what fits is taken, what does not is named.
#include "vstream/row_binder.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>

using namespace vstream;  // NOLINT(google-build-using-namespace): the test is about it

namespace {

struct Customer {
  std::int64_t id = 0;
  std::uint8_t age = 0;
  bool active = false;
  double balance = 0;
  std::string name;
  std::optional<std::string> email;
  std::optional<int> score;
};

RowBinder<Customer> customers() {
  return RowBinder<Customer>()
      .field("customer_id", &Customer::id)
      .field("age", &Customer::age)
      .field("active", &Customer::active)
      .field("balance", &Customer::balance)
      .field("name", &Customer::name)
      .field("email", &Customer::email)
      .field("score", &Customer::score);
}

/// A change of table "customer" whose values can be set one by one.
struct Row {
  Row() {
    table.keyspace = "ks";
    table.shard = "-80";
    table.name = "customer";
    for (const auto& [name, text] : {std::pair{"customer_id", "-9223372036854775808"},
                                     {"age", "255"},
                                     {"active", "1"},
                                     {"balance", "12.5"},
                                     {"name", "Ada"},
                                     {"email", "a@b"},
                                     {"score", "-3"},
                                     {"unbound", "x"}}) {
      table.columns.push_back({.name = name, .type = ValueType::kText, .column_type = {}});
      values.push_back({.state = ValueState::kValue, .text = text});
    }
  }
  Value& operator[](std::string_view column) { return values[*table.find(column)]; }
  RowChange change() const { return {.op = RowOp::kCreated, .table = &table, .after = values}; }
  std::string error() const {
    const auto bound = customers().bind(change());
    return bound ? "" : bound.error().message;
  }

  TableInfo table;
  std::vector<Value> values;
};

}  // namespace

TEST_CASE("a row becomes a struct, columns that are not bound are ignored") {
  const Row row;
  const auto customer = customers().bind(row.change());
  REQUIRE(customer.has_value());
  CHECK(customer->id == std::numeric_limits<std::int64_t>::min());
  CHECK(customer->age == 255);
  CHECK(customer->active);
  CHECK(customer->balance == 12.5);
  CHECK(customer->name == "Ada");
  CHECK(customer->email == "a@b");
  CHECK(customer->score == -3);
}

TEST_CASE("NULL is an empty optional, and an error for every other field") {
  Row row;
  row["email"] = {.state = ValueState::kNull};
  row["score"] = {.state = ValueState::kNull};
  const auto customer = customers().bind(row.change());
  REQUIRE(customer.has_value());
  CHECK_FALSE(customer->email);
  CHECK_FALSE(customer->score);
  row["age"] = {.state = ValueState::kNull};
  CHECK(row.error() == R"(cannot bind column "age" of table "customer": it is NULL)");
}

TEST_CASE("a number that does not fit is named, never cut") {
  Row row;
  row["age"].text = "256";
  CHECK(row.error() ==
        R"(cannot bind column "age" of table "customer": the value "256" does not fit the field's type)");
  row["age"].text = "-1";
  CHECK(row.error() ==
        R"(cannot bind column "age" of table "customer": the value "-1" is no number of the field's type)");
  for (const char* const text : {"", "1x", " 1", "1.5"}) {
    row["age"].text = text;
    CHECK(row.error().ends_with("is no number of the field's type"));
  }
  row["age"].text = "7";
  row["active"].text = "2";
  CHECK(row.error().ends_with("the value \"2\" is neither 0 nor 1"));
}

TEST_CASE("what an image does not hold is an error, also for an optional") {
  Row row;
  row["email"] = {.state = ValueState::kAbsent};
  CHECK(row.error() == R"(cannot bind column "email" of table "customer": it is missing in the row's image)");
  row["email"] = {.state = ValueState::kJsonDiff, .text = "JSON_REPLACE(%s, '$.a', 1)"};
  CHECK(row.error().ends_with("it came as a JSON difference"));
  CHECK(row.change().partial() == std::vector<std::string_view>{"email"});
}

TEST_CASE("a text that is not exact is not bound") {
  Row row;
  row["name"].lossy = true;
  CHECK(row.error() ==
        R"(cannot bind column "name" of table "customer": the value "Ada" is not exactly what is stored)");
}

TEST_CASE("a column that the table does not have is named") {
  Row row;
  row.table.columns[0].name = "id";
  CHECK(row.error() == R"(cannot bind column "customer_id" of table "customer": it is no column of the table)");
}

TEST_CASE("the row as it is now is the one after a change, of a deleted one that before it") {
  const Row before;
  Row after;
  after["name"].text = "Eve";
  RowChange change{.op = RowOp::kUpdated, .table = &after.table, .before = before.values, .after = after.values};
  CHECK(customers().bind(change)->name == "Eve");
  CHECK(customers().bind_before(change)->name == "Ada");
  change = {.op = RowOp::kDeleted, .table = &before.table, .before = before.values};
  CHECK(customers().bind(change)->name == "Ada");
  CHECK(customers().bind_after(change).error().message.ends_with("it is in an image that the change lacks"));
}
