// A stream that breaks is taken up again; one that is dead is noticed. By a fake clock.
#include "stream/session.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "session_run.h"
#include "vtgate/classify.h"

using namespace std::chrono_literals;
using namespace vstream;           // NOLINT(google-build-using-namespace): the test is about it
using namespace vstream::testing;  // NOLINT(google-build-using-namespace)

namespace {

// With a text column whose character set VTGate does not tell.
Response transaction_with_text(int number, const std::string& bytes, const std::string& ddl = "") {
  Response response;
  if (!ddl.empty()) response.ddl(ddl);
  const ColumnSpec text = {.name = "c", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 0};
  response.begin().field("t", {text}).row("t", {}, {bytes}).vgtid(at(number)).commit();
  return response;
}

}  // namespace

TEST_CASE("L9: a stream that breaks is taken up after the last finished transaction of each shard") {
  Run run({"-80", "80-"});
  run.streams.plays({send(transaction(2, "-80")), send(transaction(7, "80-")), lose_connection()});
  run.streams.plays({send(transaction(3, "-80")), send(transaction(8, "80-"))});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(run.asked(0) == std::vector{at(1), at(1)});
  CHECK(run.asked(1) == std::vector{at(2), at(7)});
  CHECK(ids(run.sink.text) == "2 7 3 8 ");
  CHECK(vgtid_to_short(end->position) == "ks/-80@" + at(3) + ",ks/80-@" + at(8));
  CHECK(run.said.find("the connection was lost; trying again in 0.1 s\nstreaming again\n") != std::string::npos);
}

TEST_CASE("T4: a break inside a transaction brings all of it again, and nothing of it was printed") {
  Run run;
  Response half;
  half.begin().field("t", {{.name = "id"}}).row("t", {}, {"2"});
  Response more;
  more.row("t", {}, {"3"});
  const int pieces = GENERATE(1, 2, 3);
  ScriptedStreams::Script script{send(half)};
  if (pieces > 1) script.push_back(send(Response().heartbeat()));
  if (pieces > 2) script.push_back(send(more));
  script.push_back(lose_connection());
  run.streams.plays(std::move(script));
  run.streams.plays({send(transaction(2))});
  REQUIRE(run().has_value());
  CHECK(run.asked(1) == std::vector{at(1)});
  CHECK(ids(run.sink.text) == "2 ");
}

TEST_CASE("T5: a VGTID before the rows of its transaction is no position yet") {
  Run run;
  Response half;
  half.begin().vgtid(at(5)).field("t", {{.name = "id"}}).row("t", {}, {"5"});
  run.streams.plays({send(half), lose_connection()});
  REQUIRE(run().has_value());
  CHECK(run.asked(1) == std::vector{at(1)});
}

TEST_CASE("T2, T7: empty transactions, DDL and OTHER move the position") {
  Run run;
  Response other;
  other.begin().commit().begin().vgtid(at(2)).commit().vgtid(at(3)).ddl("alter table t").vgtid(at(4)).other();
  run.streams.plays({send(other), lose_connection()});
  REQUIRE(run().has_value());
  CHECK(run.asked(1) == std::vector{at(4)});
  CHECK(run.sink.text.find("alter table t") != std::string::npos);
}

TEST_CASE("T9: after a reconnect rows wait for new FIELD events") {
  Run run;
  Response without_field;
  without_field.begin().row("t", {}, {"3"}).vgtid(at(3)).commit();
  run.streams.plays({send(transaction(2)), lose_connection()});
  run.streams.plays({send(without_field)});
  run.streams.plays({send(without_field)});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kDecode);
  CHECK(ids(run.sink.text) == "2 ");
  CHECK(run.streams.requests().size() == 3);
}

TEST_CASE("C4: a server that ends the stream with OK is asked again") {
  Run run;
  run.streams.plays({send(transaction(2)), end_with({.code = ErrorCode::kStreamBroken,
                                                     .message = "the server ended the stream",
                                                     .retriable = Retriable::kYes,
                                                     .grpc_code = 0})});
  run.streams.plays({send(transaction(3))});
  REQUIRE(run().has_value());
  CHECK(ids(run.sink.text) == "2 3 ");
}

TEST_CASE("L5: immediate ends are tried again within the budget, then the run ends") {
  Run run;
  run.options.retry_for = 1min;
  for (int i = 0; i < 1000; ++i) run.streams.plays({lose_connection()});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kStreamBroken);
  CHECK(run.clock.now() - TimePoint(1h) == 1min);
  CHECK(run.streams.requests().size() < 20);
}

TEST_CASE("T10: a schema that the tablet does not know at the position ends the run at once") {
  Run run;
  run.streams.plays({send(transaction(2)), end_with(classify({.code = 2,
                                                              .text = "stream (at source tablet) error @ x: cannot "
                                                                      "determine table columns for t"}))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kRejected);
  CHECK(end.error().hint.find("--track-schema-versions") != std::string::npos);
  CHECK(run.streams.requests().size() == 1);
}

TEST_CASE("L5: progress between failures renews the budget") {
  Run run;
  run.options.retry_for = 100ms;
  for (int i = 2; i < 100; ++i) run.streams.plays({send(transaction(i)), lose_connection()});
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().size() == 99);
}

TEST_CASE("L5: an idle stream that has lived for long has recovered, though nothing was written") {
  Run run;
  run.check_positions = [](const Vgtid&) { return Result<std::set<std::string>>(std::set<std::string>{"0"}); };
  run.options.retry_for = 1min;
  for (int i = 0; i < 3; ++i) {
    ScriptedStreams::Script idle;
    for (int second = 0; second < 120; ++second) idle.push_back(send_after(1s, Response().heartbeat()));
    idle.push_back(lose_connection());
    run.streams.plays(std::move(idle));
  }
  run.streams.plays({send(transaction(2))});
  REQUIRE(run().has_value());
  CHECK(ids(run.sink.text) == "2 ");
}

TEST_CASE("T9: rows that cannot be decoded end the run, also while another shard moves on") {
  Run run({"-80", "80-"});
  Response without_field("-80");
  without_field.begin().row("t", {}, {"3"}).vgtid(at(3)).commit();
  for (int i = 2; i < 5; ++i) run.streams.plays({send(transaction(i, "80-")), send(without_field)});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kDecode);
  CHECK(run.streams.requests().size() == 2);
}

TEST_CASE("D4: a poison transaction is recognised, also while another shard moves on") {
  Run run({"-80", "80-"});
  run.options.retry_for.reset();
  const Error poison = classify({.code = 2, .text = "error in vstream for ks/-80 on tablet t: uncaught panic: boom"});
  for (int i = 2; i < 200; ++i) {
    run.streams.plays({send_after(3s, transaction(i, "80-")), end_with(poison)});
  }
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPoison);
  CHECK(end.error().shard == "-80");
}

TEST_CASE("L4: a position that VTGate calls lost is asked for; a tablet that can serve it decides") {
  Run run;
  const Error lost{.code = ErrorCode::kPositionLost, .message = "purged", .grpc_code = 2};
  const bool servable = GENERATE(true, false);
  run.check_positions = [=](const Vgtid&) {
    return Result<std::set<std::string>>(servable ? std::set<std::string>{"0"} : std::set<std::string>());
  };
  run.streams.plays({end_with(lost)});
  run.streams.plays({send(transaction(2))});
  const auto end = run();
  CHECK(end.has_value() == servable);
  if (!end) CHECK(end.error().code == ErrorCode::kPositionLost);
  CHECK(ids(run.sink.text) == (servable ? "2 " : ""));
}

TEST_CASE("L4: a position that is lost on every tablet ends the run before a request is made") {
  Run run;
  run.check_positions = [](const Vgtid&) -> Result<std::set<std::string>> {
    return fail(ErrorCode::kPositionLost, "purged everywhere");
  };
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPositionLost);
  CHECK(run.streams.requests().empty());
}

TEST_CASE("a VTGate that accepts and never answers ends the run after the startup timeout") {
  Run run;
  run.options.retry_for = 0ms;
  run.streams.plays({});
  run.streams.plays({});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kStreamBroken);
  CHECK(end.error().message.find("did not start within 300 s") != std::string::npos);
  CHECK(run.clock.now() - TimePoint(1h) == 300s);
  CHECK(run.started_at.empty());
}

TEST_CASE("a VTGate that sends only heartbeats has not started") {
  Run run;
  run.options.retry_for = 0ms;
  ScriptedStreams::Script beats;
  for (int i = 0; i < 1000; ++i) beats.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(beats));
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message.find("no event of shard \"0\" came") != std::string::npos);
  CHECK(run.clock.now() - TimePoint(1h) == 300s);
}

TEST_CASE("L1: a VTGate that goes silent after the first response is left, and the stream taken up") {
  Run run;
  run.streams.plays({send(transaction(2))});
  run.streams.plays({send(transaction(3))});
  REQUIRE(run().has_value());
  CHECK(run.asked(1) == std::vector{at(2)});
  CHECK(run.said.find("VTGate has been silent for 10 s") != std::string::npos);
}

TEST_CASE("a VTGate that goes silent inside a transaction, heartbeats going on, is left after the liveness timeout") {
  Run run;
  Response half;
  half.begin().field("t", {{.name = "id"}}).row("t", {}, {"3"});
  ScriptedStreams::Script script{send(transaction(2)), send(half)};
  for (int i = 0; i < 100; ++i) script.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(script));
  run.streams.plays({send(transaction(3))});
  REQUIRE(run().has_value());
  CHECK(run.said.find("a transaction of shard \"0\" stands open") != std::string::npos);
  CHECK(ids(run.sink.text) == "2 3 ");
}

TEST_CASE("L8: a slow reader of the output is no death of the server") {
  Run run;
  run.sink.on_write = [&run] { run.clock.advance(20min); };
  ScriptedStreams::Script script{send(transaction(2)), send_after(1s, transaction(3))};
  for (int i = 0; i < 100; ++i) script.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(script));
  run.options.duration = 40min + 30s;
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().size() == 1);
  CHECK(ids(run.sink.text) == "2 3 ");
}

TEST_CASE("D10: a character set that VTGate does not tell is asked for, and again after a DDL") {
  Run run;
  std::vector<std::string> answers = {"big5_bin", "gbk_chinese_ci"};
  run.ask_collations = [&](std::string_view, std::string_view) {
    const ColumnCollations answer = {{"c", answers.back()}};
    answers.pop_back();
    return Result<ColumnCollations>(answer);
  };
  run.streams.plays({send(transaction_with_text(2, "\xd6\xd0")), send(transaction_with_text(3, "\xce\xc4")),
                     send(transaction_with_text(4, "\xa4\xa4", "alter table t …"))});
  REQUIRE(run().has_value());
  CHECK(answers.empty());
  for (const char* text : {R"({"c":"中"})", R"({"c":"文"})"}) CHECK(run.sink.text.find(text) != std::string::npos);
  CHECK(run.sink.text.rfind(R"("after":{"c":"中"})") > run.sink.text.find("alter"));
  CHECK(run.sink.text.find("lossy") == std::string::npos);
}

TEST_CASE("a question about a character set that cannot be answered breaks the stream, and nothing is printed before") {
  Run run;
  int asked = 0;
  run.ask_collations = [&](std::string_view, std::string_view) -> Result<ColumnCollations> {
    if (++asked < 3) return fail(ErrorCode::kUnreachable, "no primary is serving", "", Retriable::kYes);
    return ColumnCollations{{"c", "gbk_chinese_ci"}};
  };
  for (int i = 0; i < 3; ++i) run.streams.plays({send(transaction_with_text(2, "\xd6\xd0"))});
  REQUIRE(run().has_value());
  CHECK(asked == 3);
  CHECK(run.sink.text.find(R"({"c":"中"})") == run.sink.text.rfind(R"({"c":"中"})"));
  CHECK(run.sink.text.find(R"({"c":"中"})") != std::string::npos);
  CHECK(run.said.find("could not ask for the character sets of table \"t\": no primary is serving; trying again") !=
        std::string::npos);
}

TEST_CASE("a question about a character set that is refused for good ends the run") {
  Run run;
  run.ask_collations = [](std::string_view, std::string_view) -> Result<ColumnCollations> {
    return fail(ErrorCode::kAuth, "VTGate does not permit this");
  };
  run.streams.plays({send(transaction_with_text(2, "\xd6\xd0"))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kAuth);
  CHECK(run.sink.text.empty());
}

TEST_CASE("L8: the time that a question takes is no silence of the server") {
  Run run;
  run.ask_collations = [&](std::string_view, std::string_view) -> Result<ColumnCollations> {
    run.clock.advance(20min);
    return ColumnCollations{{"c", "gbk_chinese_ci"}};
  };
  ScriptedStreams::Script script{send(transaction_with_text(2, "\xd6\xd0"))};
  for (int i = 0; i < 100; ++i) script.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(script));
  run.options.duration = 20min + 30s;
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().size() == 1);
}

TEST_CASE("raw lines hold no text that has to be understood") {
  Run run;
  run.options.format = Format::kRaw;
  run.ask_collations = [](std::string_view, std::string_view) -> Result<ColumnCollations> {
    FAIL("was asked");
    return ColumnCollations();
  };
  run.streams.plays({send(transaction_with_text(2, "\xd6\xd0"))});
  REQUIRE(run().has_value());
  CHECK_FALSE(run.sink.text.empty());
}

TEST_CASE("O9: ready is told once, when every shard has started, with the position") {
  Run run({"-80", "80-"});
  run.streams.plays({send(Response().heartbeat()), send(transaction(2, "-80")), send_after(1s, transaction(3, "80-")),
                     lose_connection()});
  run.streams.plays({send(transaction(4, "-80")), send(transaction(5, "80-"))});
  REQUIRE(run().has_value());
  CHECK(run.started_at == std::vector{"ks/-80@" + at(2) + ",ks/80-@" + at(3)});
  CHECK(run.started_after == 1s);
}

TEST_CASE("an idle shard has started after three seconds if a tablet can serve its position") {
  Run run;
  run.check_positions = [](const Vgtid&) { return Result<std::set<std::string>>(std::set<std::string>{"0"}); };
  ScriptedStreams::Script beats;
  for (int i = 0; i < 10; ++i) beats.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(beats));
  run.options.duration = 10s;
  REQUIRE(run().has_value());
  CHECK(run.started_at == std::vector{"ks/0@" + at(1)});
  CHECK(run.started_after == 3s);
}

TEST_CASE("a stop while backing off ends the run cleanly, with the position of what was finished") {
  Run run;
  run.streams.plays({send(transaction(2)), lose_connection()});
  run.sink.on_write = [&run] { run.stop.request_stop(); };
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kSignal);
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(2));
}

TEST_CASE("R5: after a reshard the stream is taken up on the new shards") {
  Run run({"-80", "80-"});
  Response journals("-80");
  journals.begin().journal(7, {"-80", "80-"}, {{"-", at(50)}}).vgtid(at(9)).commit();
  Response second("80-");
  second.begin().journal(7, {"-80", "80-"}, {{"-", at(50)}}).vgtid(at(9)).commit();
  run.streams.plays({send(transaction(2, "-80")), send(transaction(3, "80-")), send(journals), lose_connection()});
  run.streams.plays({send(journals), send(second), lose_connection()});
  run.streams.plays({send(transaction(51, "-"))});
  REQUIRE(run().has_value());
  CHECK(run.asked(1) == std::vector{at(2), at(3)});
  CHECK(run.asked(2) == std::vector{at(50)});
  CHECK(run.sink.text.find(R"("type":"reshard")") == run.sink.text.rfind(R"("type":"reshard")"));
  CHECK(ids(run.sink.text) == "2 3 51 ");
}

TEST_CASE("C4: a copy that breaks goes on, and is complete once") {
  Run run;
  run.copies({"t"});
  Response head;
  head.copying().begin().field("t", {{.name = "id", .flags = 2}}).vgtid(at(5), {"t"});
  Response rows;
  rows.copying().row("t", {}, {"1"}).vgtid(at(5), {"t"}).commit();
  Response rest;
  rest.copying().begin().field("t", {{.name = "id", .flags = 2}}).row("t", {}, {"2"}).vgtid(at(6), {"t"}).commit();
  Response done;
  done.copying().begin().vgtid(at(6)).commit();
  run.streams.plays({send(head), send(rows), lose_connection()});
  run.streams.plays({send(rest), send(done)});
  run.streams.plays({send(transaction(7))});
  REQUIRE(run().has_value());
  CHECK(ids(run.sink.text) == "1 2 7 ");
  const auto& second = run.streams.requests().at(1).vgtid().shard_gtids(0);
  CHECK(second.gtid() == at(5));
  CHECK(second.table_p_ks(0).has_lastpk());
  CHECK(run.sink.text.find(R"({"type":"copy_completed"})") == run.sink.text.rfind(R"({"type":"copy_completed"})"));
  const auto& last = run.streams.requests().at(2);
  CHECK(last.flags().tables_to_copy().empty());  // C5
  CHECK(last.vgtid().shard_gtids(0).table_p_ks().empty());
}

TEST_CASE("a table without a key is begun anew, and its consumer told before the request is made") {
  Run run;
  run.copies({"t"});
  Response head;
  head.copying().begin().field("t", {{.name = "id"}}).vgtid(at(5), {"t"});
  Response rows;
  rows.copying().row("t", {}, {"1"}).vgtid(at(5), {"t"}).commit();
  run.streams.plays({send(head), send(rows), lose_connection()});
  run.streams.plays({});
  REQUIRE(run().has_value());
  CHECK(run.sink.text.find(R"({"type":"copy_restarted","keyspace":"ks","shard":"0","table":"t"})") !=
        std::string::npos);
  CHECK_FALSE(run.streams.requests().at(1).vgtid().shard_gtids(0).table_p_ks(0).has_lastpk());
}

TEST_CASE("C11, L3: a copy of which nothing comes for a minute says so, once, and goes on") {
  Run run;
  run.copies({"t"});
  Response begins;
  begins.copying().begin().field("t", {{.name = "id", .flags = 2}}).vgtid(at(2), {"t"}).commit();
  ScriptedStreams::Script script{send(begins)};
  for (int second = 0; second < 200; ++second) script.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(script));
  REQUIRE(run().has_value());
  constexpr std::string_view kSaid =
      "nothing of the copy of table \"t\" has come for 60 s: its tablets may be throttled";
  CHECK(run.said.find(kSaid) != std::string::npos);
  CHECK(run.said.find("nothing of the copy", run.said.find(kSaid) + 1) == std::string::npos);
}

TEST_CASE("C10: the copy of a table without a key warns of what that means") {
  const unsigned flags = GENERATE(0U, 2U);
  Run run;
  run.copies({"t"});
  Response copy;
  copy.copying().begin().field("t", {{.name = "id", .flags = flags}}).vgtid(at(2), {"t"}).commit();
  run.streams.plays({send(copy)});
  REQUIRE(run().has_value());
  CHECK((run.said.find("table \"t\" has no primary key") != std::string::npos) == (flags == 0));
}
