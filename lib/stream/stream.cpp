#include "vstream/stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "encode/record_writer.h"
#include "stream/condition.h"
#include "stream/row_delivery.h"
#include "stream/run_stream.h"

namespace vstream {
namespace {

// The option beats the flag, also where the flag says nothing: a stream without heartbeats cannot be watched.
std::chrono::seconds heartbeat_interval(const StreamOptions& options) {
  if (options.timeouts.heartbeat_interval) return *options.timeouts.heartbeat_interval;
  return std::chrono::seconds(options.flags.heartbeat_interval == 0 ? 1 : options.flags.heartbeat_interval);
}

Result<void> check(const StreamOptions& options) {
  if (options.keyspace.empty()) return fail(ErrorCode::kUsage, "no keyspace was given to stream");
  if (options.max_rows_per_flush == 0) return fail(ErrorCode::kUsage, "max_rows_per_flush must be at least 1");
  const StreamTimeouts& timeouts = options.timeouts;
  const std::chrono::seconds interval = heartbeat_interval(options);
  if (interval < std::chrono::seconds(1) || interval > std::chrono::hours(1)) {
    return fail(ErrorCode::kUsage,
                fmt::format("heartbeat_interval must be from 1 s to 1 h, not {} s", interval.count()));
  }
  if (timeouts.liveness.count() != 0 && timeouts.liveness < 2 * interval) {
    return fail(ErrorCode::kUsage,
                fmt::format("the liveness timeout of {} ms is less than twice the heartbeat_interval",
                            timeouts.liveness.count()));
  }
  for (const StreamTable& table : options.tables) {
    if (table.where.empty()) continue;
    if (options.partial_images == PartialImages::kMark) {
      return fail(ErrorCode::kUsage,
                  fmt::format("the query of table \"{}\" and PartialImages::kMark exclude each other", table.name),
                  "a condition over a column that is not in the image loses rows without a trace");
    }
    if (auto possible = read_condition(table.where); !possible) return std::unexpected(std::move(possible.error()));
  }
  return options.flags.check(timeouts.liveness);
}

Lines records_for(const StreamHooks& hooks) {
  Lines lines;
  for (const Line line : {Line::kRow, Line::kFields, Line::kDdl, Line::kReshard, Line::kCopyCompleted,
                          Line::kCopyRestarted, Line::kSkipped, Line::kHeartbeat}) {
    lines.add(line);
  }
  if (hooks.begin) lines.add(Line::kBegin);
  if (hooks.commit) lines.add(Line::kCommit);
  return lines;
}

bool has_query(const StreamTable& table) { return !table.columns.empty() || !table.where.empty(); }

TableQuery query_of(const StreamOptions& options, const StreamTable& table) {
  return {.keyspace = options.keyspace, .table = table.name, .columns = table.columns, .where = table.where};
}

TailOptions tail_options(const StreamOptions& options, StartAt from) {
  TailOptions tail;
  tail.connection = options.connection;
  tail.connection.connect_timeout = options.timeouts.connect;
  for (const StreamTable& table : options.tables) {
    tail.selectors.push_back({.keyspace = options.keyspace, .table = table.name});
    if (has_query(table)) tail.queries.push_back(query_of(options, table));
  }
  if (options.tables.empty()) tail.selectors.push_back({.keyspace = options.keyspace});
  tail.from = std::move(from);
  tail.tablet_type = options.tablet_type;
  tail.until_copy_completed = options.until_copy_completed;
  tail.until = options.until;
  tail.skip = options.skip;
  tail.emit = records_for(options.hooks);
  tail.partial_images = options.partial_images;
  tail.flags = options.flags;
  tail.heartbeat_interval = heartbeat_interval(options);
  tail.liveness_timeout = options.timeouts.liveness;
  tail.startup_timeout = options.timeouts.startup;
  tail.shard_stall_timeout = options.timeouts.shard_stall;
  tail.stream_keyspace_heartbeats = options.stream_keyspace_heartbeats;
  tail.retry_for = options.timeouts.retry_for;
  tail.max_transaction_memory = options.max_transaction_memory;
  tail.max_transaction_disk = options.max_transaction_disk;
  return tail;
}

std::vector<std::string> selected_tables(const StreamOptions& options) {
  std::vector<std::string> names;
  for (const StreamTable& table : options.tables) {
    names.push_back(options.keyspace + "." + table.name);
    if (has_query(table)) names.back() += ": " + query_of(options, table).to_select();
  }
  if (names.empty()) names.push_back(options.keyspace);
  std::ranges::sort(names);
  return names;
}

Result<StartAt> start_from(const Checkpoint& checkpoint, const std::vector<std::string>& selected) {
  if (checkpoint.position.empty()) return fail(ErrorCode::kInvalidPosition, "the store's checkpoint has no position");
  if (!checkpoint.tables.empty() && checkpoint.tables != selected) {
    return fail(ErrorCode::kUsage,
                fmt::format("the store's checkpoint is of other tables: it has {}, the stream {}",
                            fmt::join(checkpoint.tables, ", "), fmt::join(selected, ", ")),
                "stream the same tables, or use another store");
  }
  return StartAt{.kind = StartAt::Kind::kPositions, .positions = checkpoint.position, .copy = checkpoint.copy};
}

Result<StartAt> start_of(const StreamOptions& options, const std::vector<std::string>& selected) {
  if (options.store == nullptr) return options.from.value_or(StartAt());
  const auto checkpoint = options.store->load();
  if (!checkpoint) return std::unexpected(checkpoint.error());
  if (*checkpoint) return start_from(**checkpoint, selected);
  if (options.from) return *options.from;
  return fail(ErrorCode::kUsage, "the store has no checkpoint, and nothing says where to begin",
              "first start? set StreamOptions::from");
}

}  // namespace

Result<StreamEnd> run_stream(const StreamOptions& options, const Clock& clock, const SessionRunner& run) {
  if (auto fits = check(options); !fits) return std::unexpected(std::move(fits.error()));
  const auto selected = selected_tables(options);
  const auto from = start_of(options, selected);
  if (!from) return std::unexpected(from.error());
  const bool copies = from->kind == StartAt::Kind::kCopy || from->copy;
  if (options.until_copy_completed && !copies) {
    if (options.from && options.from->kind == StartAt::Kind::kCopy)
      return StreamEnd{// the store knows it is complete
                       .reason = EndReason::kCopyCompleted,
                       .position = from->positions};
    return fail(ErrorCode::kUsage, "until_copy_completed needs a stream that begins with a copy");
  }
  const TailOptions tail = tail_options(options, *from);
  RecordWriter writer(options.partial_images);
  RowDelivery delivery(options, selected, tail.from, clock);
  const LogHook log = options.log ? options.log : [](LogLevel, std::string_view) {};
  const TailHooks hooks{.started = options.hooks.started, .ending = {}};
  auto end = run(tail, {.sink = delivery, .writer = &writer, .keeper = &delivery}, log, hooks);
  if (delivery.failure()) return std::unexpected(*delivery.failure());
  if (!end) return std::unexpected(std::move(end.error()));
  return StreamEnd{.reason = end->reason,
                   .rows = end->rows,
                   .position = std::move(end->position),
                   .copy_unfinished = end->copy_unfinished};
}

Result<StreamEnd> Stream::run(std::stop_token stop) {
  if (std::exchange(ran_, true)) {
    return fail(ErrorCode::kUsage, "this stream has run already", "make a new one; it goes on from the store");
  }
  return run_stream(options_, real_clock(),
                    [&](const TailOptions& options, const Delivery& delivery, const LogHook& log,
                        const TailHooks& hooks) { return run_session(options, delivery, stop, log, hooks); });
}

}  // namespace vstream
