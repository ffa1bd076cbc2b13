// What a session asks for, and drops, when tables, columns, rows and flags were chosen. By a fake clock.
#include <catch2/catch_test_macros.hpp>

#include "session_run.h"
#include "vtgate/classify.h"

using namespace vstream;           // NOLINT(google-build-using-namespace): the test is about it
using namespace vstream::testing;  // NOLINT(google-build-using-namespace)

TEST_CASE("O11: during a copy, tables that match are copied when they appear; others are not") {
  Run run;
  run.copies({"ord_a"});
  run.options.selectors = {{.keyspace = "ks", .pattern = "ord_.*"}};
  Response copied;
  copied.copying().begin().field("ord_a", {{.name = "id", .flags = 2}}).row("ord_a", {}, {"1"}).vgtid(at(5)).commit();
  Response later;
  later.copying().begin().field("ord_b", {{.name = "id", .flags = 2}}).row("ord_b", {}, {"2"}).vgtid(at(6)).commit();
  run.streams.plays({send(copied)});
  run.check_positions = [&](const Vgtid&) {  // asked between the listing and the request
    run.tables = {"my_ord_a", "ord_a", "ord_b"};
    return Result<std::set<std::string>>();
  };
  run.streams.plays({send(later)});
  run.streams.plays({});
  REQUIRE(run().has_value());
  CHECK(ids(run.sink.text) == "1 2 ");
  const auto& second = run.streams.requests().at(1);
  CHECK(second.flags().tables_to_copy(0) == "ord_b");
  CHECK(second.filter().rules_size() == 2);
  CHECK(run.streams.requests().at(2).filter().rules(0).match() == "/^(?:ord_.*)$/");
}

TEST_CASE("a table's query is in every request, of the copy and of the stream") {
  Run run;
  run.copies({"t"});
  run.options.queries = {{.keyspace = "ks", .table = "t", .columns = {"id"}, .where = "id > 1"}};
  Response copied;
  copied.copying().begin().field("t", {{.name = "id", .flags = 2}}).row("t", {}, {"2"}).vgtid(at(5)).commit();
  run.streams.plays({send(copied)});
  run.streams.plays({});
  REQUIRE(run().has_value());
  for (const auto& request : run.streams.requests()) {
    CHECK(request.filter().rules(0).match() == "t");
    CHECK(request.filter().rules(0).filter() == "select `id` from `t` where (id > 1)");
  }
}

TEST_CASE("a table whose key was not asked for is not said to have none") {
  Run run;
  run.copies({"t"});
  run.options.queries = {{.keyspace = "ks", .table = "t", .columns = {"v"}}};
  Response copied;
  copied.copying().begin().field("t", {{.name = "v"}}).row("t", {}, {"2"}).vgtid(at(5)).commit();
  run.streams.plays({send(copied)});
  run.streams.plays({});
  REQUIRE(run().has_value());
  CHECK(run.said.find("key") == std::string::npos);
}

TEST_CASE("P4: what the server sends unasked is dropped") {
  Run run;
  run.options.selectors = {{.keyspace = "ks", .pattern = "tab.*"}};
  run.options.exclude = {{.keyspace = "ks", .table = "table"}};
  Response mixed;
  mixed.begin().field("t", {{.name = "id"}}).field("table", {{.name = "id"}}).field("tab", {{.name = "id"}});
  mixed.row("t", {}, {"1"}).row("table", {}, {"2"}).row("tab", {}, {"3"}).vgtid(at(2)).commit();
  run.streams.plays({send(mixed)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(ids(run.sink.text) == "3 ");
  CHECK(end->rows == 1);
}

TEST_CASE("rows of other operations are not printed and not counted, but numbered") {
  Run run;
  run.options.ops = {};
  run.options.ops.add(RowOp::kDeleted);
  run.options.count = 2;
  Response mixed;
  mixed.begin().field("t", {{.name = "id"}}).row("t", {}, {"1"}).row("t", {"1"}, {"2"}).row("t", {"2"}, {});
  mixed.row("t", {"3"}, {}).vgtid(at(2)).commit();
  run.streams.plays({send(mixed)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->rows == 2);
  CHECK(run.sink.text.find(R"("n":2,"before":{"id":2})") != std::string::npos);
  CHECK(run.sink.text.find(R"("n":3,"before":{"id":3})") != std::string::npos);
  CHECK(run.sink.text.find(R"("op":"c")") == std::string::npos);
}

TEST_CASE("O13: a filter that the server refuses ends the run, and is shown") {
  Run run;
  run.options.queries = {{.keyspace = "ks", .table = "t", .columns = {}, .where = "id > 1"}};
  run.streams.plays({end_with(classify({.code = 2,
                                        .text = "failed to build table replication plan for table t: "
                                                "unsupported constraint: id > 1"}))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(run.streams.requests().size() == 1);
  CHECK(end.error().message.find("unsupported constraint: id > 1") != std::string::npos);
  CHECK(end.error().hint == "the filter was: select * from `t` where (id > 1); /.*/");
}

TEST_CASE("the flags that the user chose are in the request, and the filter is told") {
  Run run;
  run.options.flags = {
      .cells = "a,b", .cell_preference = "onlyspecified", .minimize_skew = true, .transaction_chunk_size = 9};
  run.streams.plays({});
  REQUIRE(run().has_value());
  const auto& flags = run.streams.requests().at(0).flags();
  CHECK(flags.cells() == "a,b");
  CHECK(flags.cell_preference() == "onlyspecified");
  CHECK(flags.minimize_skew());
  CHECK(flags.transaction_chunk_size() == 9);
}
