#include "vstream/tail.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stream/keyspace_group.h"
#include "stream/keyspace_run.h"
#include "stream/run_end.h"
#include "stream/run_session.h"

namespace vstream {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// In the order in which they were selected.
std::vector<std::string> keyspaces_of(const TailOptions& options) {
  std::vector<std::string> keyspaces;
  for (const Selector& selector : options.selectors) {
    if (!has(keyspaces, selector.keyspace)) keyspaces.push_back(selector.keyspace);
  }
  return keyspaces;
}

Result<void> check_selected(const Vgtid& positions, const std::vector<std::string>& keyspaces, std::string_view what) {
  for (const ShardPosition& position : positions) {
    if (has(keyspaces, position.keyspace)) continue;
    return fail(ErrorCode::kUsage,
                fmt::format("{} names shard \"{}/{}\", which is not selected", what, position.keyspace, position.shard),
                fmt::format("selected: \"{}\"", fmt::join(keyspaces, "\", \"")));
  }
  return {};
}

Result<void> check_keyspaces(const TailOptions& options, const std::vector<std::string>& keyspaces) {
  if (options.format == Format::kRaw) {
    return fail(ErrorCode::kUsage,
                fmt::format("--format raw takes one keyspace, not \"{}\" and \"{}\"", keyspaces[0], keyspaces[1]),
                "run one vstream tail for each keyspace");
  }
  auto known = check_selected(options.skip, keyspaces, "the transaction to skip");
  if (known && options.until) known = check_selected(options.until->positions, keyspaces, "the target");
  if (!known) return known;
  if (options.from.kind != StartAt::Kind::kPositions) return {};
  for (const ShardPosition& position : options.from.positions) {
    if (has(keyspaces, position.keyspace)) continue;
    return fail(ErrorCode::kInvalidPosition,
                fmt::format("--from names shard \"{}/{}\", which is not selected", position.keyspace, position.shard),
                fmt::format("selected: \"{}\"", fmt::join(keyspaces, "\", \"")));
  }
  for (const std::string& keyspace : keyspaces) {
    if (std::ranges::find(options.from.positions, keyspace, &ShardPosition::keyspace) != options.from.positions.end())
      continue;
    return fail(ErrorCode::kInvalidPosition, fmt::format("--from has no position of keyspace \"{}\"", keyspace),
                "give each selected keyspace one, or do not select it");
  }
  return {};
}

// Exclusions and queries of other keyspaces say nothing about it: TableChoice knows.
TailOptions options_of(const TailOptions& options, const std::string& keyspace) {
  const auto is_of_another = [&](const auto& item) { return item.keyspace != keyspace; };
  TailOptions part = options;
  std::erase_if(part.selectors, is_of_another);
  std::erase_if(part.from.positions, is_of_another);
  std::erase_if(part.skip, is_of_another);
  if (part.until) std::erase_if(part.until->positions, is_of_another);
  return part;
}

// One set of options for each keyspace. Without selectors one: whoever asks VTGate can say which keyspaces there are.
Result<std::vector<TailOptions>> split(const TailOptions& options) {
  const auto keyspaces = keyspaces_of(options);
  if (keyspaces.size() < 2) return std::vector{options};
  if (auto fits = check_keyspaces(options, keyspaces); !fits) return std::unexpected(std::move(fits.error()));
  std::vector<TailOptions> parts;
  for (const std::string& keyspace : keyspaces) {
    parts.push_back(options_of(options, keyspace));
    parts.back().max_transaction_memory /= keyspaces.size();
  }
  return parts;
}

// Streams all of them; what they print are whole transactions.
Result<TailEnd> run_all(std::vector<std::unique_ptr<KeyspaceRun>>& runs, const TailOptions& options,
                        const Delivery& delivery, const TailHooks& hooks, std::stop_source& stop) {
  RunShare share{.rows = RowBudget(options.count), .unfinished_copies = runs.size(), .idle = {}};
  if (options.idle_timeout) share.idle.emplace(*options.idle_timeout, runs.size());
  if (runs.size() == 1) return runs.front()->run(delivery, hooks, share);
  std::vector<KeyspaceGroup::Part> parts;
  for (auto& run : runs) {
    parts.emplace_back(
        [&run, &share](Sink& sink, const TailHooks& own) { return run->run({.sink = sink}, own, share); });
  }
  return KeyspaceGroup(delivery.sink, hooks, stop).run(parts);
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
  std::optional<TimePoint> ends_at;
  if (options.duration) ends_at = real_clock().now() + *options.duration;
  const auto parts = split(options);
  if (!parts) return std::unexpected(parts.error());
  std::mutex log_mutex;
  const LogHook one_log = [&](LogLevel level, std::string_view text) {
    const std::lock_guard lock(log_mutex);
    log(level, text);
  };
  std::stop_source all;
  const std::stop_callback stop_all(std::move(stop), [&all] { all.request_stop(); });
  std::vector<std::unique_ptr<KeyspaceRun>> runs;
  for (const TailOptions& part : *parts) {
    runs.push_back(std::make_unique<KeyspaceRun>(part, ends_at, all.get_token(), one_log));
    auto resolved = runs.back()->resolve();
    // Before anything began: a clean end, too.
    if (all.stop_requested()) return TailEnd{};
    if (resolved) continue;
    if (!ends_at || real_clock().now() < *ends_at) return std::unexpected(std::move(resolved.error()));
    log(LogLevel::kWarning, resolved.error().message);
    const bool goal = options.count || options.until_copy_completed || options.until;
    return TailEnd{.reason = EndReason::kDuration, .goal_missed = goal};
  }
  return end_run(options, delivery.sink, run_all(runs, options, delivery, hooks, all));
}

}  // namespace vstream
