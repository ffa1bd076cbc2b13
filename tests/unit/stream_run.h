#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stream/run_stream.h"
#include "stream/session.h"
#include "support/positions.h"
#include "support/scripted_stream.h"
#include "vstream/stream.h"

namespace vstream::testing {

/// A stream of keyspace "ks" from position 1-1 of each shard. What happens is noted in order.
struct StreamRun {
  explicit StreamRun(std::vector<std::string> of = {"0"}) : shards(std::move(of)) {
    options.keyspace = "ks";
    options.store = &store;
    options.from = StartAt{.kind = StartAt::Kind::kPositions};
    for (const std::string& shard : shards) options.from->positions.push_back({"ks", shard, at(1)});
    options.on_flush = [this](const Flush& flush) { return flushed(flush); };
  }

  Result<StreamEnd> operator()() {
    return run_stream(
        options, clock,
        [this](const TailOptions& tail, const Delivery& delivery, const LogHook& log, const TailHooks& hooks) {
          Session session(
              tail, {"ks", shards, {"t"}, tail},
              {.streams = streams,
               .clock = clock,
               .random = [] { return 0.5; },
               .check_positions = [](const Vgtid&) { return std::set<std::string>(); },
               .current_positions =
                   [](const std::vector<std::string>& of) {
                     Vgtid now;
                     for (const std::string& shard : of) now.push_back({"ks", shard, at(1)});
                     return Result<Vgtid>(now);
                   },
               .table_fields = [this](const std::string&, const std::string&) { return fields; },
               .list_tables = [] { return std::vector<std::string>{"t"}; },
               .ask_collations = [](std::string_view,
                                    std::string_view) { return ColumnCollations{{"told_nowhere", "gbk_bin"}}; },
               .sink = delivery.sink,
               .log = log,
               .hooks = hooks,
               .writer = delivery.writer,
               .until = tail.until
                            ? std::optional(Until::make(tail.until->positions, tail.until->kind, "ks", shards).value())
                            : std::nullopt,
               .keeper = delivery.keeper},
              stop.get_token());
          return session.run();
        });
  }

  static std::string unfinished(const Checkpoint& checkpoint) {
    std::string text;
    if (!checkpoint.copy) return text;
    for (const UnfinishedTable& table : checkpoint.copy->unfinished) {
      text += " " + table.shard + "." + table.table + (table.cursor.empty() ? "" : "+");
    }
    return text + " copying";
  }

  // "t: 2 3;" for two rows of table t.
  Result<void> flushed(const Flush& flush) {
    happened += std::string(flush.table) + ":";
    for (const RowChange& row : flush.rows) {
      const Value* const id = row.op == RowOp::kDeleted ? row.before_of("id") : row.after_of("id");
      happened += " " + std::string(id->text);
    }
    happened += "; ";
    flush_positions.push_back(vgtid_to_short(flush.position));
    return on_flush ? on_flush(flush) : Result<void>();
  }

  class NotingStore final : public Store {
   public:
    explicit NotingStore(StreamRun& run) : run_(run) {}
    Result<std::optional<Checkpoint>> load() override { return checkpoint; }
    Result<void> save(const Checkpoint& made) override {
      run_.happened += "save " + vgtid_to_short(made.position) + unfinished(made) + "; ";
      checkpoint = made;
      return refuse ? fail(ErrorCode::kOutput, "the store is full") : Result<void>();
    }
    std::optional<Checkpoint> checkpoint;
    bool refuse = false;

   private:
    StreamRun& run_;
  };

  std::vector<std::string> shards;
  StreamOptions options;
  std::stop_source stop;
  FakeClock clock;
  ScriptedStreams streams{clock, stop};
  NotingStore store{*this};
  Result<std::vector<query::Field>> fields;  // of table t
  FlushCallback on_flush;
  std::string happened;
  std::vector<std::string> flush_positions;
};

}  // namespace vstream::testing
