#include "vstream/tail.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "stream/idle_clock.h"
#include "stream/position_check.h"
#include "stream/retry.h"
#include "stream/run_session.h"
#include "stream/selection.h"
#include "stream/server_history.h"
#include "stream/session.h"
#include "stream/until_target.h"
#include "vtgate/connection.h"
#include "vtgate/grpc_stream_call.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {
namespace {

RandomSource random_source() {
  return [engine = std::mt19937_64(std::random_device()())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

// Whether to ask again what the selectors mean: a tablet may come back; that the address is right is not known.
bool may_pass(const Error& error, bool retry_start) {
  if (error.code == ErrorCode::kUnreachable) return retry_start;
  return error.retriable == Retriable::kYes;
}

// What a run needs to know before it starts.
struct Start {
  Selection selection;
  std::optional<Until> until;
};

Result<Start> ask_once(const TailOptions& options, Connection& connection, const SqlClient& sql,
                       const std::stop_token& stop, const LogHook& log) {
  auto selection = Selection::resolve(options, sql, log);
  if (!selection) return std::unexpected(std::move(selection.error()));
  const std::string& keyspace = selection->keyspace();
  if (auto fits = check_skips(options.skip, keyspace, selection->shards()); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  const auto ask = [&](const std::string& shard) {
    return ask_shard(sql, {.keyspace = keyspace, .shard = shard}, options.tablet_type);
  };
  if (auto executed = check_executed(options.skip, ask, log); !executed) {
    return std::unexpected(std::move(executed.error()));
  }
  if (!options.until) return Start{.selection = *std::move(selection), .until = {}};
  Result<Vgtid> target = options.until->positions;
  if (options.until->kind == StopAt::Kind::kEnd) {
    GrpcStreamSource streams(connection);
    const TimePoint patience = real_clock().now() + options.connection.connect_timeout;
    target = executed_positions(sql, streams, keyspace, selection->shards(), patience, stop);
    if (!target) return std::unexpected(std::move(target.error()));
    log(LogLevel::kInfo, "until " + vgtid_to_short(*target));
  }
  auto until = Until::make(*target, options.until->kind, keyspace, selection->shards());
  if (!until) return std::unexpected(std::move(until.error()));
  return Start{.selection = *std::move(selection), .until = *std::move(until)};
}

// The same, again and again while what is wrong may pass.
Result<Start> ask(const TailOptions& options, Connection& connection, const SqlClient& sql,
                  std::optional<TimePoint> ends_at, const std::stop_token& stop, const LogHook& log) {
  const Clock& clock = real_clock();
  Retry retry({.budget = options.retry_for}, random_source());
  while (true) {
    auto start = ask_once(options, connection, sql, stop, log);
    if (start || stop.stop_requested() || !may_pass(start.error(), options.retry_start)) return start;
    if (!retry.failing()) log(LogLevel::kWarning, start.error().message + "; asking again");
    const auto delay = retry.failed(clock.now());
    if (!delay) return start;
    clock.wait_until(std::min(clock.now() + *delay, ends_at.value_or(TimePoint::max())), stop);
    if (stop.stop_requested() || (ends_at && clock.now() >= *ends_at)) return start;
    connection.renew();
  }
}

Result<void> check_goals(const TailOptions& options) {
  if (!options.until) return {};
  if (options.until_copy_completed) {
    return fail(ErrorCode::kUsage, "a stream cannot end both at a target and when its copy is complete");
  }
  if (options.until->kind != StopAt::Kind::kEnd || options.from.kind != StartAt::Kind::kCurrent) return {};
  return fail(ErrorCode::kUsage, "a stream from now until now has nothing to print",
              "begin at --from copy or at a position; for changes that are still to come use --count, --duration or "
              "--idle-timeout");
}

}  // namespace

std::string_view end_reason_name(EndReason reason) {
  switch (reason) {
    case EndReason::kCount: return "count";
    case EndReason::kDuration: return "duration";
    case EndReason::kSignal: return "signal";
    case EndReason::kCopyCompleted: return "copy_completed";
    case EndReason::kPipe: return "pipe";
    case EndReason::kUntil: return "until";
    case EndReason::kAtEnd: return "at_end";
    case EndReason::kIdle: return "idle";
  }
  return "";
}

Result<TailEnd> tail(const TailOptions& options, Sink& sink, std::stop_token stop, const LogHook& log,
                     const TailHooks& hooks) {
  return run_session(options, {.sink = sink}, std::move(stop), log, hooks);
}

Result<TailEnd> run_session(const TailOptions& options, const Delivery& delivery, std::stop_token stop,
                            const LogHook& log, const TailHooks& hooks) {
  if (auto fits = check_goals(options); !fits) return std::unexpected(std::move(fits.error()));
  const TimePoint began = real_clock().now();
  std::optional<TimePoint> ends_at;
  if (options.duration) ends_at = began + *options.duration;
  Connection connection(options.connection);
  const SqlClient sql(connection, ends_at, stop);
  auto start = ask(options, connection, sql, ends_at, stop, log);
  // Before anything began: a clean end, too.
  if (stop.stop_requested()) return TailEnd{};
  if (!start && ends_at && real_clock().now() >= *ends_at) {
    log(LogLevel::kWarning, start.error().message);
    const bool goal = options.count || options.until_copy_completed || options.until;
    return TailEnd{.reason = EndReason::kDuration, .goal_missed = goal};
  }
  if (!start) return std::unexpected(std::move(start.error()));
  GrpcStreamSource streams(connection);
  const std::string keyspace = start->selection.keyspace();
  const KeyspaceShard any_shard{.keyspace = keyspace, .shard = start->selection.shards().front()};
  const auto servable = [&](const Vgtid& positions) -> Result<std::set<std::string>> {
    if (positions.empty()) return std::set<std::string>();
    const auto tablets = list_tablets(sql);
    if (!tablets) return std::unexpected(tablets.error());
    return check_positions(sql, *tablets, positions, options.tablet_type, log);
  };
  const auto now = [&](const std::vector<std::string>& shards) {
    return current_positions(sql, any_shard.keyspace, shards, options.tablet_type);
  };
  const auto fields = [&](const std::string& shard, const std::string& table) {
    return table_fields(sql, {.keyspace = any_shard.keyspace, .shard = shard}, table);
  };
  // The primary: a replica may not have a table yet that the stream has already passed.
  const auto tables = [&] { return list_tables(sql, any_shard, TabletType::kPrimary); };
  const auto histories = [&](const std::string& shard) {
    return ask_shard(sql, {.keyspace = keyspace, .shard = shard}, options.tablet_type);
  };
  std::optional<IdleClock> idle;
  if (options.idle_timeout) idle.emplace(*options.idle_timeout);
  Session session(options, std::move(start->selection),
                  {.streams = streams,
                   .clock = real_clock(),
                   .ends_at = ends_at,
                   .random = random_source(),
                   .check_positions = servable,
                   .current_positions = now,
                   .table_fields = fields,
                   .list_tables = tables,
                   .ask_shard = histories,
                   .sink = delivery.sink,
                   .log = log,
                   .hooks = hooks,
                   .writer = delivery.writer,
                   .until = std::move(start->until),
                   .idle = idle ? &*idle : nullptr,
                   .keeper = delivery.keeper},
                  std::move(stop));
  return session.run();
}

}  // namespace vstream
