#include "stream/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace vstream {
namespace {

std::string quoted_list(const std::set<std::string>& names) {
  return names.empty() ? "none" : fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::unexpected<Error> in_shard(std::unexpected<Error> error, const std::string& keyspace, std::string shard) {
  error.error().keyspace = keyspace;
  error.error().shard = std::move(shard);
  return error;
}

}  // namespace

Selection::Selection(std::string keyspace, std::vector<std::string> shards, std::vector<std::string> tables,
                     std::vector<Selector> selectors)
    : keyspace_(std::move(keyspace)),
      shards_(std::move(shards)),
      tables_(std::move(tables)),
      all_tables_(std::ranges::any_of(selectors, [](const Selector& selector) { return !selector.table; })),
      selectors_(std::move(selectors)) {}

Result<Selection> Selection::resolve(const TailOptions& options, const SqlClient& sql, const LogHook& log) {
  Selection selection;
  selection.selectors_ = options.selectors;
  if (!options.selectors.empty()) selection.keyspace_ = options.selectors.front().keyspace;
  auto done = selection.take_shards(options, sql);
  if (done) done = selection.keep_positioned_shards(options, log);
  if (!done) return std::unexpected(std::move(done.error()));
  const auto tablets = list_tablets(sql);
  if (!tablets) return std::unexpected(tablets.error());
  done = selection.check_tablets(options.tablet_type, *tablets, log);
  if (done) done = selection.take_tables(options, sql);
  if (!done) return std::unexpected(std::move(done.error()));
  return selection;
}

Result<void> Selection::take_shards(const TailOptions& options, const SqlClient& sql) {
  const auto all = list_shards(sql);
  if (!all) return std::unexpected(all.error());
  std::set<std::string> keyspaces;
  std::set<std::string> existing;
  for (const KeyspaceShard& shard : *all) {
    keyspaces.insert(shard.keyspace);
    if (shard.keyspace == keyspace_) existing.insert(shard.shard);
  }
  if (options.selectors.empty()) {
    return fail(ErrorCode::kUsage, "no keyspace was given to stream", "keyspaces here: " + quoted_list(keyspaces));
  }
  if (existing.empty()) {
    return in_shard(fail(ErrorCode::kUnknownKeyspace, fmt::format("there is no keyspace \"{}\"", keyspace_),
                         "keyspaces here: " + quoted_list(keyspaces)),
                    keyspace_, "");
  }
  std::set<std::string> taken;
  for (const Selector& selector : options.selectors) {
    if (!selector.shard) {
      taken.insert(existing.begin(), existing.end());
    } else if (existing.contains(*selector.shard)) {
      taken.insert(*selector.shard);
    } else {
      return in_shard(
          fail(ErrorCode::kUnknownShard, fmt::format("keyspace \"{}\" has no shard \"{}\"", keyspace_, *selector.shard),
               "its shards: " + quoted_list(existing)),
          keyspace_, *selector.shard);
    }
  }
  shards_.assign(taken.begin(), taken.end());
  return {};
}

// A run without a store may name fewer shards than are selected: only those are streamed.
Result<void> Selection::keep_positioned_shards(const TailOptions& options, const LogHook& log) {
  if (options.from.kind != StartAt::Kind::kPositions) return {};
  std::set<std::string> named;
  for (const ShardPosition& position : options.from.positions) {
    if (position.keyspace != keyspace_ || !contains(shards_, position.shard)) {
      return in_shard(fail(ErrorCode::kInvalidPosition,
                           fmt::format("--from names shard \"{}/{}\", which is not selected or does not exist",
                                       position.keyspace, position.shard),
                           fmt::format("selected: \"{}\" of keyspace \"{}\"", fmt::join(shards_, "\", \""), keyspace_)),
                      position.keyspace, position.shard);
    }
    named.insert(position.shard);
  }
  std::set<std::string> left_out;
  for (const std::string& shard : shards_) {
    if (!named.contains(shard)) left_out.insert(shard);
  }
  if (!left_out.empty()) {
    log(LogLevel::kWarning, fmt::format("--from has no position for shard {}: not streamed", quoted_list(left_out)));
  }
  shards_.assign(named.begin(), named.end());
  return {};
}

// VTGate itself would hunt for a tablet for 90 seconds.
Result<void> Selection::check_tablets(TabletType type, const std::vector<Tablet>& tablets, const LogHook& log) const {
  const std::string_view wanted = tablet_type_name(type);
  for (const std::string& shard : shards_) {
    std::set<std::string> types;
    bool serving = false;
    for (const Tablet& tablet : tablets) {
      if (tablet.keyspace != keyspace_ || tablet.shard != shard) continue;
      types.insert(tablet.type);
      serving = serving || (tablet.type == wanted && tablet.serving);
    }
    if (!types.contains(std::string(wanted))) {
      return in_shard(
          fail(ErrorCode::kNoTablet, fmt::format("shard \"{}/{}\" has no {} tablet", keyspace_, shard, wanted),
               types.empty() ? "VTGate knows no tablet of it at all"
                             : fmt::format("it has: {}; choose one with --tablet-type", fmt::join(types, ", "))),
          keyspace_, shard);
    }
    if (!serving) {
      log(LogLevel::kWarning, fmt::format("no {} tablet of shard \"{}/{}\" is serving now", wanted, keyspace_, shard));
    }
  }
  return {};
}

Result<void> Selection::take_tables(const TailOptions& options, const SqlClient& sql) {
  auto existing = list_tables(sql, {.keyspace = keyspace_, .shard = shards_.front()}, options.tablet_type);
  if (!existing) return std::unexpected(existing.error());
  std::set<std::string> taken;
  for (const Selector& selector : options.selectors) {
    if (!selector.table) {
      all_tables_ = true;
      taken.insert(existing->begin(), existing->end());
    } else if (contains(*existing, *selector.table)) {
      taken.insert(*selector.table);
    } else {
      return in_shard(
          fail(ErrorCode::kUnknownTable, fmt::format("keyspace \"{}\" has no table \"{}\"", keyspace_, *selector.table),
               existing->size() > 20 ? fmt::format("it has {} tables", existing->size())
                                     : "its tables: " + quoted_list({existing->begin(), existing->end()})),
          keyspace_, "");
    }
  }
  tables_.assign(taken.begin(), taken.end());
  return {};
}

bool Selection::names_shards() const {
  return std::ranges::any_of(selectors_, [](const Selector& selector) { return selector.shard.has_value(); });
}

bool Selection::wants(std::string_view shard, std::string_view table) const {
  return std::any_of(selectors_.begin(), selectors_.end(), [&](const Selector& selector) {
    return (!selector.table || *selector.table == table) && (!selector.shard || *selector.shard == shard);
  });
}

std::string Selection::to_string() const {
  std::vector<std::string> texts;
  for (const Selector& selector : selectors_) texts.push_back(selector.to_string());
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace vstream
