#include "vstream/tail.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "stream/position_check.h"
#include "stream/retry.h"
#include "stream/run_session.h"
#include "stream/selection.h"
#include "stream/session.h"
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

// What the selectors mean.
Result<Selection> resolve(const TailOptions& options, Connection& connection, const SqlClient& sql,
                          std::optional<TimePoint> ends_at, const std::stop_token& stop, const LogHook& log) {
  const Clock& clock = real_clock();
  Retry retry({.budget = options.retry_for}, random_source());
  while (true) {
    auto selection = Selection::resolve(options, sql, log);
    if (selection || stop.stop_requested() || !may_pass(selection.error(), options.retry_start)) return selection;
    if (!retry.failing()) log(LogLevel::kWarning, selection.error().message + "; asking again");
    const auto delay = retry.failed(clock.now());
    if (!delay) return selection;
    clock.wait_until(std::min(clock.now() + *delay, ends_at.value_or(TimePoint::max())), stop);
    if (stop.stop_requested() || (ends_at && clock.now() >= *ends_at)) return selection;
    connection.renew();
  }
}

}  // namespace

std::string_view end_reason_name(EndReason reason) {
  switch (reason) {
    case EndReason::kCount: return "count";
    case EndReason::kDuration: return "duration";
    case EndReason::kSignal: return "signal";
    case EndReason::kCopyCompleted: return "copy_completed";
    case EndReason::kPipe: return "pipe";
  }
  return "";
}

Result<TailEnd> tail(const TailOptions& options, Sink& sink, std::stop_token stop, const LogHook& log,
                     const TailHooks& hooks) {
  return run_session(options, {.sink = sink}, std::move(stop), log, hooks);
}

Result<TailEnd> run_session(const TailOptions& options, const Delivery& delivery, std::stop_token stop,
                            const LogHook& log, const TailHooks& hooks) {
  const TimePoint began = real_clock().now();
  std::optional<TimePoint> ends_at;
  if (options.duration) ends_at = began + *options.duration;
  Connection connection(options.connection);
  const SqlClient sql(connection, ends_at, stop);
  auto selection = resolve(options, connection, sql, ends_at, stop, log);
  // Before anything began: a clean end, too.
  if (stop.stop_requested()) return TailEnd{};
  if (!selection && ends_at && real_clock().now() >= *ends_at) {
    log(LogLevel::kWarning, selection.error().message);
    return TailEnd{.reason = EndReason::kDuration, .goal_missed = options.count || options.until_copy_completed};
  }
  if (!selection) return std::unexpected(std::move(selection.error()));
  GrpcStreamSource streams(connection);
  const KeyspaceShard any_shard{.keyspace = selection->keyspace(), .shard = selection->shards().front()};
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
  Session session(options, *std::move(selection),
                  {.streams = streams,
                   .clock = real_clock(),
                   .ends_at = ends_at,
                   .random = random_source(),
                   .check_positions = servable,
                   .current_positions = now,
                   .table_fields = fields,
                   .list_tables = tables,
                   .sink = delivery.sink,
                   .log = log,
                   .hooks = hooks,
                   .writer = delivery.writer,
                   .keeper = delivery.keeper},
                  std::move(stop));
  return session.run();
}

}  // namespace vstream
