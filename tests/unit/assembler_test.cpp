// When lines appear: the rules of whole transactions.
#include "stream/assembler.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::Assembler;
using vstream::AssemblerOptions;
using vstream::ErrorCode;
using vstream::Line;
using vstream::Unit;
using vstream::testing::Response;

namespace {

/// Feeds responses, and keeps what came out.
class Feed {
 public:
  explicit Feed(AssemblerOptions options = {}) : assembler_(std::move(options)) {}

  vstream::Result<bool> operator()(const Response& response) {
    return assembler_.consume(response.bytes(), [this](const Unit& unit) -> vstream::Result<bool> {
      lines += vstream::testing::text_of(unit.lines);
      gtids.emplace_back(unit.gtid);
      ++units;
      rows += unit.rows;
      return true;
    });
  }

  std::string lines;
  std::vector<std::string> gtids;
  std::size_t units = 0;
  std::size_t rows = 0;

 private:
  Assembler assembler_;
};

Response with_table(const std::string& shard = "0") {
  Response response(shard);
  response.begin().field("t", {{.name = "id"}});
  return response;
}

std::string row_line(const std::string& id, int n = 0, const std::string& shard = "0") {
  return R"({"type":"row","op":"c","keyspace":"ks","shard":")" + shard +
         R"(","table":"t","ts_ms":7000,"gtid":"u:1","n":)" + std::to_string(n) + R"(,"after":{"id":)" + id + "}}\n";
}

}  // namespace

TEST_CASE("nothing of a transaction appears before its COMMIT") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {}, {"1"})));
  CHECK(feed.lines.empty());
  CHECK(feed.units == 0);
  REQUIRE(feed(Response().row("t", {}, {"2"}).vgtid("g1")));
  CHECK(feed.lines.empty());
  REQUIRE(feed(Response().commit()));
  CHECK(feed.lines == row_line("1") + row_line("2", 1));
  CHECK(feed.gtids == std::vector<std::string>{"g1"});
  CHECK(feed.rows == 2);
}

TEST_CASE("a second BEGIN throws away the rows and the VGTID since the first, but not the columns") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {}, {"1"}).vgtid("g1")));
  REQUIRE(feed(Response().begin().row("t", {}, {"2"}).commit()));
  CHECK(feed.lines == row_line("2"));
  CHECK(feed.gtids == std::vector<std::string>{""});
}

TEST_CASE("an empty table's copy begins twice and ends once") {
  Feed feed;
  REQUIRE(feed(Response().copying().begin().field("t", {{.name = "id"}}).vgtid("g1", {"t"})));
  REQUIRE(feed(Response().copying().begin().vgtid("g1").commit()));
  CHECK(feed.lines.empty());
  CHECK(feed.gtids == std::vector<std::string>{"g1"});
}

TEST_CASE("T4: heartbeats inside a transaction neither end nor print anything") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {}, {"1"}).heartbeat()));
  REQUIRE(feed(Response().heartbeat()));
  CHECK(feed.units == 0);
  REQUIRE(feed(Response().row("t", {}, {"2"}).vgtid("g9").commit()));
  CHECK(feed.lines == row_line("1") + row_line("2", 1));
}

TEST_CASE("where each unit must be readable by itself, each begins with the columns of its tables") {
  AssemblerOptions options;
  options.emit = {};
  options.emit.add(Line::kFields);
  options.fields_in_every_unit = true;
  Feed feed(std::move(options));
  REQUIRE(feed(with_table().row("t", {}, {"1"}).row("t", {}, {"2"}).commit()));
  const std::string first = feed.lines;
  CHECK(first.find(R"("type":"fields")") == first.rfind(R"("type":"fields")"));
  REQUIRE(feed(Response().begin().row("t", {}, {"3"}).commit()));
  CHECK_FALSE(first.empty());
  CHECK(feed.lines == first + first);
}

TEST_CASE("T2: an empty transaction prints nothing and moves the position") {
  Feed feed;
  REQUIRE(feed(Response().begin().vgtid("g2").commit()));
  CHECK(feed.lines.empty());
  CHECK(feed.gtids == std::vector<std::string>{"g2"});
  REQUIRE(feed(Response().begin().commit()));
  CHECK(feed.gtids.back().empty());
}

TEST_CASE("a COMMIT without BEGIN ends a transaction of its own") {
  Feed feed;
  REQUIRE(feed(Response().vgtid("g3").commit()));
  CHECK(feed.gtids == std::vector<std::string>{"g3"});
}

TEST_CASE("T7: a DDL and an OTHER are units of their own, only the DDL prints") {
  Feed feed;
  REQUIRE(feed(Response().vgtid("g2").ddl("alter table t\n add c int")));
  REQUIRE(feed(Response().vgtid("g3").other()));
  CHECK(feed.lines == R"({"type":"ddl","keyspace":"ks","shard":"0","ts_ms":7000,"gtid":"u:1",)"
                      R"("statement":"alter table t\n add c int"})"
                      "\n");
  CHECK(feed.gtids == std::vector<std::string>{"g2", "g3"});
}

TEST_CASE("a DDL whose text is not UTF-8 is printed with U+FFFD") {
  // Built by hand: a generated message would not take these bytes.
  std::string bytes = Response().ddl("alter _?").bytes();
  bytes[bytes.find('?')] = '\xff';
  Assembler assembler({});
  std::string lines;
  REQUIRE(assembler.consume(bytes, [&](const Unit& unit) -> vstream::Result<bool> {
    lines += vstream::testing::text_of(unit.lines);
    return true;
  }));
  CHECK(lines.find("\"statement\":\"alter _\xEF\xBF\xBD\"") != std::string::npos);
}

TEST_CASE("a ROLLBACK throws the rows away and keeps the position") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {}, {"1"}).vgtid("g4").rollback()));
  CHECK(feed.lines.empty());
  CHECK(feed.gtids == std::vector<std::string>{"g4"});
}

TEST_CASE("T8: transactions of two shards may interleave") {
  Feed feed;
  REQUIRE(feed(with_table("-80").row("t", {}, {"1"})));
  REQUIRE(feed(with_table("80-").row("t", {}, {"2"}).commit()));
  CHECK(feed.lines == row_line("2", 0, "80-"));
  REQUIRE(feed(Response("-80").commit()));
  CHECK(feed.lines == row_line("2", 0, "80-") + row_line("1", 0, "-80"));
}

TEST_CASE("T9: each shard's rows are read with its own columns") {
  Feed feed;
  REQUIRE(feed(Response("-80").begin().field("t", {{.name = "a"}, {.name = "b"}}).row("t", {}, {"1", "2"}).commit()));
  REQUIRE(feed(Response("80-").begin().field("t", {{.name = "a"}}).row("t", {}, {"3"}).commit()));
  REQUIRE(feed(Response("-80").begin().row("t", {}, {"4", "5"}).commit()));
  CHECK(feed.lines.find(R"("after":{"a":4,"b":5})") != std::string::npos);
  CHECK(feed.rows == 3);
}

TEST_CASE("changes are numbered per table and transaction") {
  Feed feed;
  REQUIRE(feed(Response()
                   .begin()
                   .field("t", {{.name = "id"}})
                   .field("u", {{.name = "id"}})
                   .row("t", {}, {"1"})
                   .row("u", {}, {"2"})
                   .row("t", {}, {"3"})
                   .commit()));
  REQUIRE(feed(Response().begin().row("t", {}, {"4"}).commit()));
  CHECK(feed.lines.find(R"("table":"u","ts_ms":7000,"gtid":"u:1","n":0)") != std::string::npos);
  CHECK(feed.lines.find(R"("n":1,"after":{"id":3})") != std::string::npos);
  CHECK(feed.lines.find(R"("n":0,"after":{"id":4})") != std::string::npos);
}

TEST_CASE("T12: an update of which only one image passed a filter is told as what came") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {}, {"15"}).row("t", {"5"}, {}).commit()));
  CHECK(feed.lines.find(R"("op":"c")") < feed.lines.find(R"("op":"d")"));
  CHECK(feed.lines.find(R"("op":"u")") == std::string::npos);
}

TEST_CASE("T14: a delete prints its row as it was") {
  Feed feed;
  REQUIRE(feed(with_table().row("t", {"1"}, {}).commit()));
  CHECK(feed.lines.find(R"("op":"d")") != std::string::npos);
  CHECK(feed.lines.find(R"("before":{"id":1}})") != std::string::npos);
}

TEST_CASE("a row whose columns were never announced is an error that names the table") {
  Feed feed;
  const auto fed = feed(Response().begin().row("t", {}, {"1"}).commit());
  REQUIRE_FALSE(fed.has_value());
  CHECK(fed.error().code == ErrorCode::kDecode);
  CHECK(fed.error().message.find("ks.t") != std::string::npos);
  CHECK(fed.error().shard == "0");
  CHECK(feed.lines.empty());
}

TEST_CASE("a row with more values than columns is an error, and nothing of its transaction is printed") {
  Feed feed;
  const auto fed = feed(with_table().row("t", {}, {"1"}).row("t", {}, {"2", "3"}).commit());
  REQUIRE_FALSE(fed.has_value());
  CHECK(fed.error().code == ErrorCode::kDecode);
  CHECK(fed.error().message.find("u:1") != std::string::npos);
  CHECK(feed.lines.empty());
}

TEST_CASE("bytes that are no response are an error") {
  Feed feed;
  Assembler assembler({});
  const auto fed = assembler.consume("\xff\xff", [](const Unit&) -> vstream::Result<bool> { return true; });
  REQUIRE_FALSE(fed.has_value());
  CHECK(fed.error().code == ErrorCode::kDecode);
}

TEST_CASE("T13: tables that are not wanted, and internal ones, are left out") {
  Feed feed({.emit = vstream::Lines::defaults(),
             .partial_images = vstream::PartialImages::kStop,
             .wants = [](std::string_view shard, std::string_view table) { return table == "t" && shard == "0"; }});
  Response response = with_table();
  response.field("u", {{.name = "id"}}).field("heartbeat", {{.name = "id"}});
  response.last().mutable_field_event()->set_is_internal_table(true);
  REQUIRE(feed(response.row("u", {}, {"1"}).row("heartbeat", {}, {"1"}).row("t", {}, {"1"}).commit()));
  CHECK(feed.lines == row_line("1"));
  CHECK(feed.rows == 1);
}

TEST_CASE("a stop by the handler drops the rest of the response") {
  Assembler assembler({});
  std::size_t units = 0;
  const auto fed = assembler.consume(Response().begin().commit().begin().commit().bytes(),
                                     [&](const Unit&) -> vstream::Result<bool> { return ++units < 1; });
  REQUIRE(fed.has_value());
  CHECK_FALSE(*fed);
  CHECK(units == 1);
}

TEST_CASE("T15: a VGTID moves only the shard that its event names") {
  Feed feed;
  Response response("80-");
  response.begin().vgtid("g7");
  binlogdata::ShardGtid& other = *response.last().mutable_vgtid()->add_shard_gtids();
  other.set_keyspace("ks");
  other.set_shard("-80");
  other.set_gtid("current");
  REQUIRE(feed(response.commit()));
  CHECK(feed.gtids == std::vector<std::string>{"g7"});
}

TEST_CASE("a unit lists the tables that its shard has not finished copying") {
  Assembler assembler({});
  std::vector<std::string> unfinished;
  const auto fed = assembler.consume(Response().copying().begin().vgtid("g", {"b", "c"}).commit().bytes(),
                                     [&](const Unit& unit) -> vstream::Result<bool> {
                                       for (const auto& cursor : *unit.cursors) unfinished.push_back(cursor.table);
                                       return true;
                                     });
  REQUIRE(fed.has_value());
  CHECK(unfinished == std::vector<std::string>{"b", "c"});
}

TEST_CASE("begin, commit, fields, other and heartbeat lines come when asked for") {
  Feed feed({.emit = vstream::Lines::all(), .partial_images = vstream::PartialImages::kStop, .wants = {}});
  REQUIRE(feed(with_table().row("t", {}, {"1"}).commit().heartbeat().vgtid("g").other()));
  CHECK(feed.lines == R"({"type":"begin","keyspace":"ks","shard":"0","ts_ms":7000,"gtid":"u:1"})"
                      "\n"
                      R"({"type":"fields","keyspace":"ks","shard":"0","table":"t","columns":)"
                      R"([{"name":"id","type":"INT64","column_type":"bigint","pk":false}]})"
                      "\n" +
                          row_line("1") +
                          R"({"type":"commit","keyspace":"ks","shard":"0","ts_ms":7000,"gtid":"u:1","rows":1})"
                          "\n"
                          R"({"type":"heartbeat","ts_ms":9000})"
                          "\n"
                          R"({"type":"other","keyspace":"ks","shard":"0","gtid":"u:1"})"
                          "\n");
}

TEST_CASE("a fields line comes before the first row of a table, once for the same columns, and is never lost") {
  vstream::Lines emit = vstream::Lines::defaults();
  emit.add(Line::kFields);
  Feed feed({.emit = emit, .partial_images = vstream::PartialImages::kStop, .wants = {}});
  const auto fields_lines = [&] {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = feed.lines.find(R"("type":"fields")", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  REQUIRE(feed(with_table().commit()));
  CHECK(fields_lines() == 0);  // nothing was used yet
  REQUIRE(feed(Response().begin().row("t", {}, {"1"})));
  REQUIRE(feed(Response().begin().row("t", {}, {"2"}).commit()));  // the first attempt is thrown away
  CHECK(fields_lines() == 1);
  CHECK(feed.lines.starts_with(R"({"type":"fields")"));
  REQUIRE(feed(with_table().row("t", {}, {"3"}).row("t", {}, {"4"}).commit()));
  CHECK(fields_lines() == 1);
  REQUIRE(feed(Response().begin().field("t", {{.name = "id"}, {.name = "b"}}).row("t", {}, {"5", "6"}).commit()));
  CHECK(fields_lines() == 2);
}

TEST_CASE("a reshard is one line, when the last old shard has journaled") {
  Feed feed;
  const auto journal = [](const std::string& shard) {
    Response response(shard);
    response.begin().other();
    response.last().set_type(binlogdata::JOURNAL);
    binlogdata::Journal& written = *response.last().mutable_journal();
    written.set_id(5);
    written.set_migration_type(binlogdata::SHARDS);
    for (const char* const old : {"80-", "-80"}) {
      binlogdata::KeyspaceShard& participant = *written.add_participants();
      participant.set_keyspace("ks");
      participant.set_shard(old);
    }
    binlogdata::ShardGtid& merged = *written.add_shard_gtids();
    merged.set_keyspace("ks");
    merged.set_shard("0");
    merged.set_gtid("MySQL56/x");
    response.commit();
    return response;
  };
  REQUIRE(feed(journal("-80")));
  CHECK(feed.lines.empty());
  REQUIRE(feed(journal("80-")));
  REQUIRE(feed(journal("80-")));
  CHECK(feed.lines == R"({"type":"reshard","keyspace":"ks","id":5,"migration":"shards","participants":["-80","80-"],)"
                      R"("shards":[{"shard":"0","gtid":"MySQL56/x"}],"lineage":[{"shard":"0","from":)"
                      R"([{"shard":"-80","range":"-80"},{"shard":"80-","range":"80-"}]}]})"
                      "\n");
}
