// The raw format: responses as they were received.
#include "stream/raw.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/event_bytes.h"

using vstream::testing::Response;

TEST_CASE("a response is one line of protobuf JSON") {
  vstream::Buffer out;
  REQUIRE(vstream::append_raw_line(out, Response().vgtid("g1").ddl("drop table t").bytes()).has_value());
  CHECK(out.view() ==
        R"({"events":[{"type":"VGTID","vgtid":{"shardGtids":[{"keyspace":"ks","shard":"0","gtid":"g1"}]},)"
        R"("keyspace":"ks","shard":"0"},{"type":"DDL","timestamp":"7","statement":"drop table t","keyspace":"ks",)"
        R"("shard":"0","eventGtid":"u:1"}]})"
        "\n");
}

TEST_CASE("a statement that is not UTF-8 costs only its own bytes") {
  std::string bytes = Response().ddl("alter _#").ddl("caf\xC3\xA9").bytes();
  bytes[bytes.find('#')] = '\xe9';
  vstream::Buffer out;
  REQUIRE(vstream::append_raw_line(out, bytes).has_value());
  CHECK(out.view().find(R"("statement":"alter _?")") != std::string_view::npos);
  CHECK(out.view().find("\"statement\":\"caf\xC3\xA9\"") != std::string_view::npos);
}

TEST_CASE("bytes that are no response are refused") {
  vstream::Buffer out;
  CHECK_FALSE(vstream::append_raw_line(out, "\xff").has_value());
  CHECK(out.empty());
}
