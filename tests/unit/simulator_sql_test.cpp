#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch_test_macros.hpp>

#include "simulator/sql_text.h"
#include "simulator_client.h"

namespace vstream {
namespace {

using testing::execute;

// Column names, then the rows: "A|B\n1|2\n".
std::string text_of(const vtgate::ExecuteResponse& response) {
  INFO(response.error().message());
  CHECK_FALSE(response.has_error());
  std::vector<std::string> names;
  for (const auto& field : response.result().fields()) {
    CHECK(field.type() == query::VARCHAR);
    names.push_back(field.name());
  }
  std::string text = fmt::format("{}\n", fmt::join(names, "|"));
  for (const auto& row : response.result().rows()) text += fmt::format("{}\n", fmt::join(testing::cells(row), "|"));
  return text;
}

TEST_CASE("simulator: SQL tells the keyspaces, shards, tablets and tables") {
  auto simulator = testing::start_quiet_shop();
  CHECK(text_of(execute(*simulator, "SHOW VITESS_SHARDS")) == "Shards\ncommerce/0\ncustomer/-80\ncustomer/80-\n");
  CHECK(text_of(execute(*simulator, " show  Vitess_Shards like 'customer/%' ; ")) ==
        "Shards\ncustomer/-80\ncustomer/80-\n");
  CHECK(text_of(execute(*simulator, "SHOW VITESS_SHARDS LIKE 'nope/%'")) == "Shards\n");
  CHECK(text_of(execute(*simulator, "SHOW VSCHEMA KEYSPACES")) ==
        "Keyspace|Sharded|Foreign Key|Comment\ncommerce|false|unmanaged|\ncustomer|true|unmanaged|\n");
  std::string tablets = text_of(execute(*simulator, "show vitess_tablets"));
  CHECK(
      tablets.starts_with("Cell|Keyspace|Shard|TabletType|State|Alias|Hostname|PrimaryTermStartTime\n"
                          "zone1|commerce|0|PRIMARY|SERVING|zone1-0000000101|"));
  CHECK(tablets.find("zone1|customer|80-|REPLICA|SERVING|zone1-0000000302|") != std::string::npos);
  const std::string kFull = "Tables_in_commerce|Table_type\nproduct|BASE TABLE\nsupplier|BASE TABLE\n";
  CHECK(text_of(execute(*simulator, "SHOW FULL TABLES", "commerce:0@replica")) == kFull);
  CHECK(text_of(execute(*simulator, "show full tables from `commerce`")) == kFull);
  CHECK(text_of(execute(*simulator, "show tables", "customer")) == "Tables_in_customer\ncustomer\norders\n");
}

TEST_CASE("simulator: SQL knows no collations of columns") {
  auto simulator = testing::start_quiet_shop();
  CHECK(text_of(execute(*simulator,
                        "select table_name, column_name, collation_name from information_schema.columns "
                        "where table_schema = 'commerce' and table_name = 'it''s'")) ==
        "TABLE_NAME|COLUMN_NAME|COLLATION_NAME\n");
}

TEST_CASE("simulator: SQL reads the variables of a shard, several at once") {
  auto simulator = testing::start_quiet_shop();
  std::string executed = text_of(execute(*simulator, "select @@global.gtid_executed", "customer:-80@primary"));
  CHECK(executed.starts_with("@@global.gtid_executed\n"));
  CHECK(executed.find(":1-") != std::string::npos);
  CHECK(executed == text_of(execute(*simulator, "select @@global.gtid_executed", "customer/-80@REPLICA")));
  CHECK(executed != text_of(execute(*simulator, "select @@global.gtid_executed", "customer:80-")));
  CHECK(text_of(execute(*simulator,
                        "SELECT @@global.gtid_purged AS purged, @@GLOBAL.binlog_row_image `image`,"
                        "@@global.binlog_row_value_options",
                        "commerce:0")) == "purged|image|@@global.binlog_row_value_options\n|FULL|\n");
  CHECK(text_of(execute(*simulator, "select @@global.binlog_row_image")) == "@@global.binlog_row_image\nFULL\n");
}

TEST_CASE("simulator: SQL errors are in the response, with VTGate's texts") {
  auto simulator = testing::start_quiet_shop();
  auto error_of = [&](const std::string& sql, const std::string& target, vtrpc::Code code) {
    auto response = execute(*simulator, sql, target);
    CHECK_FALSE(response.has_result());
    CHECK(response.error().code() == code);
    return response.error().message();
  };
  CHECK(error_of("show tables", "nope:0", vtrpc::NOT_FOUND) == "VT05003: unknown database 'nope' in vschema");
  CHECK(error_of("show tables from nope", "", vtrpc::NOT_FOUND) == "VT05003: unknown database 'nope' in vschema");
  CHECK(error_of("select @@global.gtid_executed", "commerce:0@rdonly", vtrpc::UNAVAILABLE) ==
        "target: commerce.0.rdonly: no healthy tablet available for 'keyspace:\"commerce\" shard:\"0\" "
        "tablet_type:RDONLY'");
  CHECK(error_of("show full tables", "commerce:-80", vtrpc::UNAVAILABLE).find("shard:\"-80\"") != std::string::npos);
  CHECK(error_of("show tables", "commerce@nonsense", vtrpc::INVALID_ARGUMENT) ==
        "No partition found for tabletType unknown in keyspace commerce");
  for (const char* sql : {"drop table orders", "select 1", "select @@global.nonsense", "show vitess_shards like 5",
                          "select @@global.gtid_purged,", "select", "", "show tables where", "show"}) {
    CHECK(error_of(sql, "commerce:0", vtrpc::INVALID_ARGUMENT).ends_with(std::string(": ") + sql));
  }
}

TEST_CASE("simulator: LIKE matches whole texts") {
  using simulator::like;
  CHECK(like("customer/-80", "customer/%"));
  CHECK(like("abc", "%"));
  CHECK(like("abc", "a_c"));
  CHECK(like("aXbXc", "a%b%c"));
  CHECK(like("aab", "%ab"));
  CHECK(like("", "%"));
  CHECK_FALSE(like("abc", "ab"));
  CHECK_FALSE(like("abc", "%b"));
  CHECK_FALSE(like("", "_"));
}

}  // namespace
}  // namespace vstream
