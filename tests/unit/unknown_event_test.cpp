// What newer and stranger servers may send.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::testing::Response;

namespace {

void add_event(Response& response, int type) {
  response.other();
  response.last().set_type(static_cast<binlogdata::VEventType>(type));
  response.last().set_statement("what it says");
}

}  // namespace

TEST_CASE("O7, O14: events of unknown types are skipped, wherever they stand, and the position is right") {
  constexpr int kRowsQuery = 22;
  for (const int type : {0, 10, kRowsQuery, 99, -1, 1 << 30}) {
    INFO(type);
    Response response;
    add_event(response, type);
    response.begin();
    add_event(response, type);
    response.field("t", {{.name = "id"}});
    add_event(response, type);
    response.row("t", {}, {"1"}).vgtid("MySQL56/u:1-5");
    add_event(response, type);
    response.commit();
    add_event(response, type);
    vstream::Assembler assembler({.emit = vstream::Lines::all()});
    std::vector<std::string> gtids;
    std::string lines;
    const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
      gtids.emplace_back(unit.gtid);
      lines += vstream::testing::text_of(unit.lines);
      return true;
    });
    REQUIRE(fed.has_value());
    CHECK(gtids == std::vector<std::string>{"MySQL56/u:1-5"});
    for (const char* const line : {"begin", "fields", "row", "commit"}) {
      CHECK(lines.find(std::string(R"({"type":")") + line + '"') != std::string::npos);
    }
    CHECK(std::ranges::count(lines, '\n') == 4);
  }
}

TEST_CASE("a change that the binlog holds as a statement is never lost in silence") {
  for (const auto type : {binlogdata::INSERT, binlogdata::REPLACE, binlogdata::UPDATE, binlogdata::DELETE}) {
    Response response;
    response.begin();
    add_event(response, type);
    vstream::Assembler assembler({});
    const auto fed = assembler.consume(response.vgtid("g").commit().bytes(),
                                       [](const vstream::Unit&) { return vstream::Result<bool>(true); });
    REQUIRE_FALSE(fed.has_value());
    CHECK(fed.error().code == vstream::ErrorCode::kDecode);
    CHECK(fed.error().message.find(R"((shard "ks/0", GTID u:1))") != std::string::npos);
    CHECK(fed.error().hint.find("binlog_format=ROW") != std::string::npos);
  }
}
