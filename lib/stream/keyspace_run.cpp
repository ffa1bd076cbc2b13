#include "stream/keyspace_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stream/position_check.h"
#include "stream/retry.h"
#include "stream/row_image_check.h"
#include "stream/session.h"
#include "stream/skip.h"
#include "stream/until_target.h"
#include "vtgate/column_collations.h"
#include "vtgate/grpc_stream_call.h"
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

}  // namespace

KeyspaceRun::KeyspaceRun(TailOptions options, std::optional<TimePoint> ends_at, std::stop_token stop,
                         const LogHook& log)
    : options_(std::move(options)),
      ends_at_(ends_at),
      stop_(std::move(stop)),
      log_(log),
      connection_(options_.connection),
      sql_(connection_, ends_at_, stop_) {}

Result<void> KeyspaceRun::resolve() {
  const Clock& clock = real_clock();
  Retry retry({.budget = options_.retry_for}, random_source());
  while (true) {
    auto asked = ask();
    if (asked) return asked;
    Error error = std::move(asked.error());
    if (stop_.stop_requested() || !may_pass(error, options_.retry_start)) return std::unexpected(std::move(error));
    if (!retry.failing()) log_(LogLevel::kWarning, error.message + "; asking again");
    const auto delay = retry.failed(clock.now());
    if (!delay) return std::unexpected(std::move(error));
    clock.wait_until(std::min(clock.now() + *delay, ends_at_.value_or(TimePoint::max())), stop_);
    if (stop_.stop_requested() || (ends_at_ && clock.now() >= *ends_at_)) return std::unexpected(std::move(error));
    connection_.renew();
  }
}

Result<void> KeyspaceRun::ask() {
  auto selection = Selection::resolve(options_, sql_, log_);
  if (!selection) return std::unexpected(std::move(selection.error()));
  selection_ = *std::move(selection);
  auto fits = check_skips(options_.skip, selection_->keyspace(), selection_->shards());
  if (fits) fits = check_executed(options_.skip, [this](const std::string& shard) { return histories(shard); }, log_);
  return fits ? ask_target() : fits;
}

Result<void> KeyspaceRun::ask_target() {
  if (!options_.until) return {};
  Result<Vgtid> target = options_.until->positions;
  if (options_.until->kind == StopAt::Kind::kEnd) {
    GrpcStreamSource streams(connection_);
    const TimePoint patience = real_clock().now() + options_.connection.connect_timeout;
    target = executed_positions(sql_, streams, selection_->keyspace(), selection_->shards(), patience, stop_);
    if (!target) return std::unexpected(std::move(target.error()));
    log_(LogLevel::kInfo, "until " + vgtid_to_short(*target));
  }
  if (auto exist = check_shards_exist(*target); !exist) return exist;
  auto until = Until::make(*target, options_.until->kind, selection_->keyspace(), selection_->shards());
  if (!until) return std::unexpected(std::move(until.error()));
  until_ = *std::move(until);
  return {};
}

// What streamed shards may become could be named, too: but nobody has a position of a shard that never was.
Result<void> KeyspaceRun::check_shards_exist(const Vgtid& target) const {
  const auto existing = list_shards(sql_);
  if (!existing) return std::unexpected(existing.error());
  for (const ShardPosition& position : target) {
    const bool exists = std::ranges::any_of(*existing, [&](const KeyspaceShard& shard) {
      return shard.keyspace == position.keyspace && shard.shard == position.shard;
    });
    if (exists) continue;
    return fail(
        ErrorCode::kUsage,
        fmt::format("the target names shard \"{}/{}\", which does not exist", position.keyspace, position.shard),
        "take a target of this cluster: --until current, or a position that vstream has printed");
  }
  return {};
}

ShardHistories KeyspaceRun::histories(const std::string& shard) const {
  return ask_shard(sql_, {.keyspace = selection_->keyspace(), .shard = shard}, options_.tablet_type);
}

Result<TailEnd> KeyspaceRun::run(const Delivery& delivery, const TailHooks& hooks, RunShare& share) {
  GrpcStreamSource streams(connection_);
  const std::string& keyspace = selection_->keyspace();
  const KeyspaceShard any_shard{.keyspace = keyspace, .shard = selection_->shards().front()};
  const auto servable = [&](const Vgtid& positions) -> Result<std::set<std::string>> {
    if (positions.empty()) return std::set<std::string>();
    const auto tablets = list_tablets(sql_);
    if (!tablets) return std::unexpected(tablets.error());
    return check_positions(sql_, *tablets, positions, options_.tablet_type, log_);
  };
  const auto now = [&](const std::vector<std::string>& shards) {
    return current_positions(sql_, keyspace, shards, options_.tablet_type);
  };
  const auto fields = [&](const std::string& shard, const std::string& table) {
    return table_fields(sql_, {.keyspace = keyspace, .shard = shard}, table);
  };
  const auto whole_rows = [&](const std::string& shard) {
    return logs_whole_rows(sql_, {.keyspace = keyspace, .shard = shard}, log_);
  };
  // The primary: a replica may not have a table yet that the stream has already passed.
  const auto tables = [&] { return list_tables(sql_, any_shard, TabletType::kPrimary); };
  Session session(options_, *selection_,
                  {.streams = streams,
                   .clock = real_clock(),
                   .ends_at = ends_at_,
                   .random = random_source(),
                   .check_positions = servable,
                   .logs_whole_rows = whole_rows,
                   .current_positions = now,
                   .table_fields = fields,
                   .list_tables = tables,
                   .ask_collations = [this](std::string_view of,
                                            std::string_view table) { return column_collations(sql_, of, table); },
                   .ask_shard = [this](const std::string& shard) { return histories(shard); },
                   .sink = delivery.sink,
                   .log = log_,
                   .hooks = hooks,
                   .writer = delivery.writer,
                   .until = until_,
                   .idle = share.idle ? &*share.idle : nullptr,
                   .keeper = delivery.keeper,
                   .rows = &share.rows,
                   .unfinished_copies = &share.unfinished_copies},
                  stop_);
  return session.run();
}

}  // namespace vstream
