// Library streams: what is delivered when, and what is saved when. By scripts and a fake clock.
#include "vstream/stream.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "stream_run.h"

using namespace std::chrono_literals;
using namespace vstream;           // NOLINT(google-build-using-namespace): the test is about it
using namespace vstream::testing;  // NOLINT(google-build-using-namespace)

namespace {

std::string saved(int last) { return "save ks/0@" + at(last) + "; "; }

// Transaction `number` with so many rows, whose ids are number * 10, number * 10 + 1 and so on.
Response transaction(int number, int rows = 1, const std::string& shard = "0") {
  Response response(shard);
  response.begin().field("t", {{.name = "id"}});
  for (int i = 0; i < rows; ++i) response.row("t", {}, {std::to_string(number * 10 + i)});
  response.vgtid(at(number)).commit();
  return response;
}

}  // namespace

TEST_CASE("a clean end flushes what was received whole, and saves its position") {
  StreamRun run;
  Response half;
  half.begin().row("t", {}, {"30"});
  run.streams.plays({send(transaction(2, 2)), send(half)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(run.happened == "t: 20 21; " + saved(2));
  CHECK(end->rows == 2);
  CHECK(end->reason == EndReason::kSignal);
  CHECK(vgtid_to_short(end->position) == "ks/0@" + at(2));
  CHECK(run.store.checkpoint->tables == std::vector<std::string>{"ks"});
}

TEST_CASE("rows are flushed at the end of the transaction in which enough have come, in chunks") {
  StreamRun run;
  run.options.max_rows_per_flush = 3;
  run.streams.plays({send(transaction(2, 2)), send(transaction(3, 2)), send(transaction(4))});
  REQUIRE(run().has_value());
  CHECK(run.happened == "t: 20 21 30; t: 31; " + saved(3) + "t: 40; " + saved(4));
  CHECK(run.flush_positions == std::vector{"ks/0@" + at(3), "ks/0@" + at(3), "ks/0@" + at(4)});
}

TEST_CASE("rows are flushed by a heartbeat when they have waited long enough, also inside a transaction") {
  StreamRun run;
  Response half;
  half.begin().row("t", {}, {"30"});
  ScriptedStreams::Script script{send(transaction(2)), send(half)};
  for (int i = 0; i < 9; ++i) script.push_back(send_after(1s, Response().heartbeat()));
  run.streams.plays(std::move(script));
  run.options.min_flush_duration = 8s;
  run.options.hooks.heartbeat = [&](std::chrono::sys_seconds) {
    run.happened += "beat ";
    return Result<void>();
  };
  REQUIRE(run().has_value());
  CHECK(run.happened == "beat beat beat beat beat beat beat beat t: 20; " + saved(2) + "beat ");
}

TEST_CASE("where a stream began is not saved: heartbeats prove nothing") {
  StreamRun run;
  run.options.min_flush_duration = 1s;
  run.streams.plays({send_after(1s, Response().heartbeat()), send_after(1s, Response().heartbeat())});
  REQUIRE(run().has_value());
  CHECK(run.happened.empty());
}

TEST_CASE("a position without rows is saved, too, but not more often than rows are flushed") {
  StreamRun run;
  run.options.min_flush_duration = 5s;
  ScriptedStreams::Script script;
  for (int i = 2; i < 14; ++i) {
    Response other;
    other.vgtid(at(i)).other();
    script.push_back(send_after(1s, other));
  }
  run.streams.plays(std::move(script));
  REQUIRE(run().has_value());
  CHECK(run.happened == saved(6) + saved(11) + saved(13));
}

TEST_CASE("rows of the old columns are flushed before the DDL hook, and its position is saved after it") {
  StreamRun run;
  run.options.hooks.ddl = [&](const StreamEvent& event, std::string_view statement) {
    run.happened += std::string(statement) + " on " + std::string(event.shard) + "; ";
    CHECK(event.committed_at == std::chrono::sys_seconds(7s));
    return Result<void>();
  };
  std::vector<std::size_t> columns;
  run.on_flush = [&](const Flush& flush) -> Result<void> {
    for (const RowChange& row : flush.rows) columns.push_back(row.table->columns.size());
    return {};
  };
  Response ddl;
  ddl.vgtid(at(3)).ddl("alter table t");
  Response after;
  after.begin().field("t", {{.name = "id"}, {.name = "more"}}).row("t", {}, {"40", "1"}).vgtid(at(4)).commit();
  run.streams.plays({send(transaction(2)), send(ddl), send(after)});
  REQUIRE(run().has_value());
  CHECK(run.happened == "t: 20; alter table t on 0; " + saved(3) + "t: 40; " + saved(4));
  CHECK(run.flush_positions == std::vector{"ks/0@" + at(2), "ks/0@" + at(4)});
  CHECK(columns == std::vector<std::size_t>{1, 2});
}

TEST_CASE("an error of a callback ends the stream: nothing is saved, nothing tried again, nothing more delivered") {
  StreamRun run;
  run.options.max_rows_per_flush = 1;
  // Codes that mean something else when a sink or a server says them.
  const ErrorCode code = GENERATE(ErrorCode::kInternal, ErrorCode::kReaderGone, ErrorCode::kStreamBroken);
  run.on_flush = [&](const Flush& flush) -> Result<void> {
    if (flush.flushes_before == 0) return {};
    return fail(code, "the database is away", "", Retriable::kYes);
  };
  run.streams.plays({send(transaction(2)), send(transaction(3)), send(transaction(4))});
  run.streams.plays({send(transaction(4))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == code);
  CHECK(end.error().message == "the database is away");
  CHECK(run.happened == "t: 20; " + saved(2) + "t: 30; ");
  CHECK(run.streams.requests().size() == 1);
}

TEST_CASE("errors of hooks and of the store end the stream as they are") {
  StreamRun run;
  run.options.max_rows_per_flush = 1;
  const bool of_store = GENERATE(true, false);
  run.store.refuse = of_store;
  run.options.hooks.commit = [&](const StreamEvent&, std::uint64_t rows) -> Result<void> {
    CHECK(rows == 1);
    return of_store ? Result<void>() : fail(ErrorCode::kUsage, "the hook says no");
  };
  run.streams.plays({send(transaction(2)), send(transaction(3))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message == (of_store ? "the store is full" : "the hook says no"));
  CHECK(run.happened == (of_store ? "t: 20; " + saved(2) : ""));
}

TEST_CASE("a stream that broke for good has flushed and saved what was finished") {
  StreamRun run;
  run.options.timeouts.retry_for = 0ms;
  run.streams.plays({send(transaction(2)), lose_connection()});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kStreamBroken);
  CHECK(run.happened == "t: 20; " + saved(2));
}

TEST_CASE("a stream that breaks is taken up again, and nothing comes twice") {
  StreamRun run;
  Response half;
  half.begin().row("t", {}, {"30"});
  run.streams.plays({send(transaction(2)), send(half), lose_connection()});
  run.streams.plays({send(transaction(3, 2))});
  REQUIRE(run().has_value());
  CHECK(run.happened == "t: 20 30 31; " + saved(3));
}

TEST_CASE("a new stream goes on from the store") {
  StreamRun run;
  run.store.checkpoint = Checkpoint{.position = {{"ks", "0", at(5)}}, .tables = {"ks"}};
  run.streams.plays({send(transaction(6))});
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().at(0).vgtid().shard_gtids(0).gtid() == at(5));
  CHECK(run.happened == "t: 60; " + saved(6));
}

TEST_CASE("what a store holds must be good to go on from") {
  StreamRun run;
  run.store.checkpoint = Checkpoint{.position = {{"ks", "0", at(5)}}, .tables = {"ks"}};
  const auto refused = [&] {
    const auto end = run();
    CHECK(run.streams.requests().empty());
    return end ? "" : end.error().message;
  };
  SECTION("no position") {
    run.store.checkpoint->position.clear();
    CHECK(refused() == "the store's checkpoint has no position");
  }
  SECTION("other tables") {
    run.options.tables = {{.name = "t"}};
    CHECK(refused() == "the store's checkpoint is of other tables: it has ks, the stream ks.t");
  }
  SECTION("nothing, and nothing says where to begin") {
    run.store.checkpoint.reset();
    run.options.from.reset();
    CHECK(refused() == "the store has no checkpoint, and nothing says where to begin");
  }
}

TEST_CASE("now is made a position of every shard, and that is saved before the first row") {
  StreamRun run({"-80", "80-"});
  run.options.from = StartAt{};
  run.options.max_rows_per_flush = 1;
  run.streams.plays({send(transaction(2, 1, "-80")), send(transaction(4, 1, "80-"))});
  REQUIRE(run().has_value());
  const auto save = [](int a, int b) { return "save ks/-80@" + at(a) + ",ks/80-@" + at(b) + "; "; };
  CHECK(run.happened == save(1, 1) + "t: 20; " + save(2, 1) + "t: 40; " + save(2, 4));
  CHECK(run.streams.requests().at(0).vgtid().shard_gtids(0).gtid() == at(1));
}

TEST_CASE("the copy of another process goes on where the store has it, and swallows no change") {
  StreamRun run({"-80", "80-"});
  run.fields = std::vector<query::Field>(1);
  run.fields->front().set_name("id");
  run.fields->front().set_flags(2);
  run.options.until_copy_completed = true;
  run.store.checkpoint = Checkpoint{.position = {{"ks", "-80", at(5)}, {"ks", "80-", at(6)}},
                                    .copy = CopyState{.tables = {"t"}, .unfinished = {{.shard = "80-", .table = "t"}}},
                                    .tables = {"ks"}};
  Response copy("80-");
  copy.copying().begin().field("t", {{.name = "id", .flags = 2}}).vgtid(at(6), {"t"}).commit();
  copy.begin().row("t", {}, {"1"}).vgtid(at(7), {"t"}).commit().begin().vgtid(at(7)).commit();
  run.streams.plays({send(copy)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kCopyCompleted);
  const auto& shards = run.streams.requests().at(0).vgtid().shard_gtids();
  CHECK(shards.at(0).table_p_ks().empty());
  REQUIRE(shards.at(1).table_p_ks_size() == 1);
  const auto& cursor = shards.at(1).table_p_ks(0);
  CHECK(shards.at(1).gtid() == at(6));
  CHECK(cursor.table_name() == "t");
  CHECK(cursor.lastpk().fields(0).name() == "id");
  CHECK(cursor.lastpk().rows().empty());
  CHECK(run.happened == "t: 1; save ks/-80@" + at(5) + ",ks/80-@" + at(7) + "; ");
}

TEST_CASE("a table without a key whose copy was left unfinished is dropped and copied anew") {
  StreamRun run;
  run.fields = std::vector<query::Field>(1);
  run.fields->front().set_name("id");
  run.store.checkpoint = Checkpoint{.position = {{"ks", "0", at(5)}},
                                    .copy = CopyState{.tables = {"t"}, .unfinished = {{.shard = "0", .table = "t"}}},
                                    .tables = {"ks"}};
  run.options.hooks.copy_restarted = [&](std::string_view shard, std::string_view table) -> Result<void> {
    run.happened += "drop " + std::string(shard) + "." + std::string(table) + "; ";
    return {};
  };
  Response copy;
  copy.copying().begin().field("t", {{.name = "id"}}).vgtid(at(6), {"t"}).commit();
  copy.begin().row("t", {}, {"1"}).vgtid(at(6), {"t"}).commit();
  run.streams.plays({send(copy)});
  REQUIRE(run().has_value());
  CHECK_FALSE(run.streams.requests().at(0).vgtid().shard_gtids(0).table_p_ks(0).has_lastpk());
  CHECK(run.happened.starts_with("drop 0.t; "));
  CHECK(run.store.checkpoint->copy->unfinished.size() == 1);
}

TEST_CASE("a copy is noted in the store before its first row, and complete once") {
  StreamRun run;
  run.options.from = StartAt{.kind = StartAt::Kind::kCopy};
  run.options.until_copy_completed = true;
  run.options.hooks.copy_completed = [&](std::string_view shard) {
    run.happened += "completed " + std::string(shard) + "; ";
    return Result<void>();
  };
  std::vector<RowOp> ops;
  run.on_flush = [&](const Flush& flush) -> Result<void> {
    for (const RowChange& row : flush.rows) ops.push_back(row.op);
    return {};
  };
  Response copy;
  copy.copying().begin().field("t", {{.name = "id", .flags = 2}}).vgtid(at(2), {"t"}).commit();
  copy.begin().row("t", {}, {"1"}).row("t", {}, {"2"}).vgtid(at(2), {"t"}).commit();
  copy.begin().vgtid(at(2)).commit();
  run.streams.plays({send(copy)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kCopyCompleted);
  CHECK(run.happened == "save ks/0@" + at(1) + " 0.t copying; t: 1 2; completed 0; completed ; " + saved(2));
  CHECK(run.flush_positions == std::vector<std::string>{"ks/0@" + at(2)});
  CHECK(ops == std::vector{RowOp::kCopied, RowOp::kCopied});
}

TEST_CASE("a copy that is stopped leaves a store that says so") {
  StreamRun run;
  run.options.from = StartAt{.kind = StartAt::Kind::kCopy};
  Response copy;
  copy.copying().begin().field("t", {{.name = "id", .flags = 2}}).row("t", {}, {"1"}).vgtid(at(2), {"t"}).commit();
  run.streams.plays({send(copy)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(end->copy_unfinished);
  CHECK(run.happened == "save ks/0@" + at(1) + " 0.t copying; t: 1; save ks/0@" + at(2) + " 0.t+ copying; ");
}

TEST_CASE("a table's own callback comes before the stream's; rows of tables without any are counted only") {
  StreamRun run;
  std::string own;
  run.options.tables = {{.name = "t"}, {.name = "u", .on_flush = [&](const Flush& flush) -> Result<void> {
                                          own += flush.table;
                                          return {};
                                        }}};
  const bool with_default = GENERATE(true, false);
  if (!with_default) run.options.on_flush = nullptr;
  Response both = transaction(2);
  both.begin().field("u", {{.name = "id"}}).row("u", {}, {"9"}).vgtid(at(3)).commit();
  run.streams.plays({send(both)});
  const auto end = run();
  REQUIRE(end.has_value());
  CHECK(own == "u");
  CHECK(run.happened == (with_default ? "t: 20; " : "") + saved(3));
  CHECK(end->rows == 2);
}

TEST_CASE("time in a callback does not count as silence of the server") {
  StreamRun run;
  run.options.max_rows_per_flush = 1;
  run.on_flush = [&](const Flush&) -> Result<void> {
    run.clock.advance(20min);
    return {};
  };
  run.streams.plays({send(transaction(2)), send_after(1s, transaction(3)), send_after(1s, transaction(4))});
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().size() == 1);
}

TEST_CASE("R5: a reshard is told after the rows before it, and saved with its new shards") {
  StreamRun run({"-80", "80-"});
  run.options.hooks.reshard = [&](const StreamReshard& reshard) {
    run.happened += "reshard of " + reshard.participants.at(0) + " " + reshard.participants.at(1) + " at " +
                    vgtid_to_short(reshard.shards) + "; ";
    return Result<void>();
  };
  Response journals("-80");
  journals.begin().journal(7, {"-80", "80-"}, {{"-", at(50)}}).vgtid(at(9)).commit();
  Response second("80-");
  second.begin().journal(7, {"-80", "80-"}, {{"-", at(50)}}).vgtid(at(9)).commit();
  run.streams.plays({send(transaction(2, 1, "-80")), send(journals), send(second), send(transaction(51, 1, "-"))});
  REQUIRE(run().has_value());
  CHECK(run.happened == "t: 20; reshard of -80 80- at ks/-@" + at(50) + "; save ks/-@" + at(50) +
                            "; t: 510; save ks/-@" + at(51) + "; ");
}

TEST_CASE("a transaction that is too large to be held is delivered in parts, exact to the byte") {
  StreamRun run;
  run.options.max_transaction_memory = std::size_t{64} << 10U;
  run.options.max_rows_per_flush = 100;
  std::string value;  // line breaks everywhere, and what could be taken for the end of a record
  for (int i = 0; i < 3000; ++i) value += static_cast<char>(i % 7 == 0 ? '\n' : i);
  int rows = 0;
  std::size_t largest = 0;
  run.options.on_flush = [&](const Flush& flush) -> Result<void> {
    for (const RowChange& row : flush.rows) {
      CHECK(row.after_of("id")->text == std::to_string(rows));
      CHECK(row.after_of("b")->get() == value);
      CHECK(row.n == static_cast<std::uint64_t>(rows));
      ++rows;
    }
    largest = std::max(largest, flush.rows.size());
    run.flush_positions.push_back(vgtid_to_short(flush.position));
    return {};
  };
  ScriptedStreams::Script script{send(transaction(2))};
  Response begin;
  begin.begin().field("big", {{.name = "id"}, {.name = "b", .type = query::BLOB, .column_type = "blob"}});
  script.push_back(send(begin));
  constexpr int kRows = 1000;
  for (int i = 0; i < kRows; ++i) script.push_back(send(Response().row("big", {}, {std::to_string(i), value})));
  Response commit;
  script.push_back(send(commit.vgtid(at(3)).commit()));
  run.streams.plays(std::move(script));
  run.options.tables = {{.name = "big"}};
  REQUIRE(run().has_value());
  CHECK(rows == kRows);
  CHECK(largest == 100);
  CHECK(run.flush_positions.front() == "ks/0@" + at(2));
  CHECK(run.happened == saved(3));
}

TEST_CASE("values arrive as plain text, whatever they hold") {
  StreamRun run;
  const ColumnSpec text{.name = "text", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 255};
  const ColumnSpec latin{.name = "latin", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 8};
  const ColumnSpec told_nowhere{
      .name = "told_nowhere", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 0};
  const ColumnSpec bytes{.name = "bytes", .type = query::VARBINARY, .column_type = "varbinary(9)"};
  const ColumnSpec decimal{.name = "dec", .type = query::DECIMAL, .column_type = "decimal(3,2)"};
  const ColumnSpec time{.name = "time", .type = query::TIMESTAMP, .column_type = "timestamp"};
  const ColumnSpec json{.name = "json", .type = query::JSON, .column_type = "json"};
  const ColumnSpec broken{.name = "broken", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 255};
  Response response;
  response.begin()
      .field("t", {text, latin, told_nowhere, bytes, decimal, time, json, broken, {.name = "none"}})
      .row("t", {},
           {"a\"\\\n", "\xe4", "\xd6\xd0", std::string("\0\n\xff", 3), ".10", "2026-01-02 03:04:05", R"({"a":"b"})",
            "x\xff", std::nullopt})
      .vgtid(at(2))
      .commit();
  run.streams.plays({send(response)});
  run.options.on_flush = [&](const Flush& flush) -> Result<void> {
    const RowChange& row = flush.rows.front();
    CHECK(flush.keyspace == "ks");
    CHECK(row.op == RowOp::kCreated);
    CHECK(row.table->shard == "0");
    CHECK(row.gtid == "u:1");
    CHECK(row.before.empty());
    CHECK(row.after_of("text")->get() == "a\"\\\n");
    CHECK(row.after_of("latin")->get() == "ä");
    CHECK(row.after_of("told_nowhere")->get() == "中");
    CHECK(row.after_of("bytes")->get() == std::string("\0\n\xff", 3));
    CHECK(row.after_of("bytes")->type == ValueType::kBytes);
    CHECK(row.after_of("dec")->get() == "0.10");
    CHECK(row.after_of("time")->get() == "2026-01-02T03:04:05Z");
    CHECK(row.after_of("json")->get() == R"({"a":"b"})");
    CHECK(row.after_of("broken")->get() == "x\xef\xbf\xbd");
    CHECK(row.after_of("broken")->lossy);
    CHECK_FALSE(row.after_of("text")->lossy);
    CHECK(row.after_of("none")->state == ValueState::kNull);
    CHECK(row.after_of("nowhere") == nullptr);
    CHECK(row.before_of("text") == nullptr);
    run.happened += "seen";
    return {};
  };
  REQUIRE(run().has_value());
  CHECK(run.happened == "seen" + saved(2));
}

TEST_CASE("a partial image names what it lacks") {
  StreamRun run;
  run.options.partial_images = PartialImages::kMark;
  const ColumnSpec json{.name = "j", .type = query::JSON, .column_type = "json"};
  Response response;
  response.begin()
      .field("t", {{.name = "id"}, {.name = "a"}, json})
      .row("t", {"1", "2", "{}"}, {"1", std::nullopt, "D"});
  response.change().mutable_data_columns()->set_count(3);
  response.change().mutable_data_columns()->set_cols("\x05");
  response.change().mutable_json_partial_values()->set_count(1);
  response.change().mutable_json_partial_values()->set_cols("\x01");
  response.vgtid(at(2)).commit();
  run.streams.plays({send(response)});
  run.options.on_flush = [&](const Flush& flush) -> Result<void> {
    const RowChange& row = flush.rows.front();
    CHECK(row.op == RowOp::kUpdated);
    CHECK(row.before_of("a")->get() == "2");
    CHECK(row.after_of("a")->state == ValueState::kAbsent);
    CHECK(row.after_of("j")->state == ValueState::kJsonDiff);
    CHECK(row.after_of("j")->text == "D");
    CHECK(row.partial() == std::vector<std::string_view>{"a", "j"});
    run.happened += "seen";
    return {};
  };
  REQUIRE(run().has_value());
  CHECK(run.happened == "seen" + saved(2));
}

TEST_CASE("options that do not fit are refused before anything is asked") {
  StreamRun run;
  const auto refused = [&] {
    const auto end = run();
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().code == ErrorCode::kUsage);
    return end.error().message;
  };
  SECTION("no keyspace") {
    run.options.keyspace.clear();
    CHECK(refused() == "no keyspace was given to stream");
  }
  SECTION("no rows") {
    run.options.max_rows_per_flush = 0;
    CHECK(refused() == "max_rows_per_flush must be at least 1");
  }
  SECTION("the heartbeat interval") {
    run.options.timeouts.heartbeat_interval = 0s;
    CHECK(refused() == "heartbeat_interval must be from 1 s to 1 h, not 0 s");
  }
  SECTION("the liveness timeout") {
    run.options.timeouts.heartbeat_interval = 6s;
    CHECK(refused() == "the liveness timeout of 10000 ms is less than twice the heartbeat_interval");
  }
  SECTION("a heartbeat interval that only the flags can have") {
    run.options.flags.heartbeat_interval = 4'000'000'000U;
    CHECK(refused() == "heartbeat_interval must be from 1 s to 1 h, not 4000000000 s");
  }
  SECTION("chunks without a watch over them") {
    run.options.flags.transaction_chunk_size = 1;
    run.options.timeouts.liveness = 0s;
    CHECK(refused() == "transaction_chunk_size needs a liveness timeout");
  }
  SECTION("a condition that no tablet can evaluate") {
    run.options.tables = {{.name = "t", .where = "a like 'x'"}};
    CHECK(refused().find("a like 'x'") != std::string::npos);
  }
  SECTION("a condition over rows that may miss columns") {
    run.options.tables = {{.name = "t", .where = "a = 1"}};
    run.options.partial_images = PartialImages::kMark;
    CHECK(refused().find("PartialImages::kMark") != std::string::npos);
  }
  SECTION("an end that cannot come") {
    run.options.until_copy_completed = true;
    CHECK(refused() == "until_copy_completed needs a stream that begins with a copy");
  }
}

TEST_CASE("a table's query is asked for, and belongs to the checkpoint") {
  StreamRun run;
  run.options.tables = {{.name = "t", .columns = {"id"}, .where = "id > 1"}};
  run.streams.plays({send(transaction(2))});
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().at(0).filter().rules(0).filter() == "select `id` from `t` where (id > 1)");
  REQUIRE(run.store.checkpoint);
  CHECK(run.store.checkpoint->tables == std::vector<std::string>{"ks.t: select `id` from `t` where (id > 1)"});
  StreamRun other;
  other.options.tables = {{.name = "t"}};
  other.store.checkpoint = run.store.checkpoint;
  const auto end = other();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kUsage);
}

TEST_CASE("the heartbeat option beats the flag, whatever was set last and also where the flag is zero") {
  StreamRun run;
  const auto [option, flag, asked] = GENERATE(table<std::optional<std::chrono::seconds>, unsigned, unsigned>(
      {{std::nullopt, 0, 1}, {std::nullopt, 5, 5}, {3s, 0, 3}, {3s, 5, 3}}));
  run.options.timeouts.heartbeat_interval = option;
  run.options.flags.heartbeat_interval = flag;
  run.streams.plays({});
  REQUIRE(run().has_value());
  CHECK(run.streams.requests().at(0).flags().heartbeat_interval() == asked);
}

TEST_CASE("a stream runs once") {
  Stream stream({.connection = {.address = "127.0.0.1:1"}, .keyspace = ""});
  CHECK(stream.run().error().message == "no keyspace was given to stream");
  CHECK(stream.run().error().message == "this stream has run already");
}

TEST_CASE("a library stream steps over a transaction, which its hook hears, and ends at its target") {
  StreamRun run;
  run.options.skip = {{"ks", "0", "MySQL56/" + kUuid + ":3"}};
  run.options.until = StopAt{.kind = StopAt::Kind::kPositions, .positions = {{"ks", "0", at(4)}}};
  std::string skipped;
  run.options.hooks.skipped = [&](const StreamEvent& event) -> Result<void> {
    skipped += std::string(event.shard) + "@" + std::string(event.gtid);
    return {};
  };
  run.streams.plays({send(transaction(4)), send(transaction(5))});
  CHECK(run().value().reason == EndReason::kUntil);
  CHECK(skipped == "0@" + kUuid + ":3");
  CHECK(run.streams.requests().front().vgtid().shard_gtids(0).gtid() == "MySQL56/" + kUuid + ":1:3");
  CHECK(run.happened.ends_with("t: 40; " + saved(4)));
}
