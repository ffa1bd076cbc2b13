#include "vstream/tail.h"

#include <algorithm>
#include <random>
#include <utility>

#include "stream/position_check.h"
#include "stream/retry.h"
#include "stream/run_session.h"
#include "stream/selection.h"
#include "stream/session.h"
#include "vtgate/channel.h"
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

// What the selectors mean. A server that cannot be reached is waited for if that was asked for.
Result<Selection> resolve(const TailOptions& options, const SqlClient& sql, const std::stop_token& stop,
                          const LogHook& log) {
  Retry retry({.budget = options.retry_for}, random_source());
  while (true) {
    auto selection = Selection::resolve(options, sql, log);
    if (selection || !options.retry_start || selection.error().code != ErrorCode::kUnreachable) return selection;
    if (!retry.failing()) log(LogLevel::kWarning, selection.error().message + "; waiting for it");
    const auto delay = retry.failed(real_clock().now());
    if (!delay) return selection;
    real_clock().wait_until(real_clock().now() + *delay, stop);
    if (stop.stop_requested()) return selection;
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
  const auto channel = make_channel(options.connection);
  const SqlClient sql(channel, options.connection.connect_timeout, stop);
  auto selection = resolve(options, sql, stop, log);
  if (stop.stop_requested()) return TailEnd{};  // before anything began: a clean end, too
  if (!selection) return std::unexpected(std::move(selection.error()));
  GrpcStreamSource streams(channel);
  const KeyspaceShard any_shard{.keyspace = selection->keyspace(), .shard = selection->shards().front()};
  const auto servable = [&](const Vgtid& positions) -> Result<std::set<std::string>> {
    if (positions.empty()) return std::set<std::string>();
    const auto tablets = list_tablets(sql);
    if (!tablets) return std::unexpected(tablets.error());
    return check_positions(sql, *tablets, positions, options.tablet_type, log);
  };
  // The primary: a replica may not have a table yet that the stream has already passed.
  const auto tables = [&] { return list_tables(sql, any_shard, TabletType::kPrimary); };
  Session session(options, *std::move(selection),
                  {.streams = streams,
                   .clock = real_clock(),
                   .random = random_source(),
                   .check_positions = servable,
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
