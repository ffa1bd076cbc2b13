#include "stream/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/name_list.h"

namespace vstream {
namespace {

std::string quoted_list(const std::set<std::string>& names) {
  return names.empty() ? "none" : fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The cells that a tablet must be in; none: any. Without onlyspecified VTGate adds its own cell, and an alias stands
// for cells that only VTGate knows.
std::set<std::string> only_cells(const TailOptions& options, const std::vector<Tablet>& tablets) {
  std::set<std::string> cells;
  if (options.flags.cell_preference != "onlyspecified" || options.tablet_type == TabletType::kPrimary) return cells;
  std::string_view rest = options.flags.cells;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t first = item.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    cells.emplace(item.substr(first, item.find_last_not_of(' ') - first + 1));
  }
  const auto is_cell = [&](const std::string& cell) {
    return std::ranges::any_of(tablets, [&](const Tablet& tablet) { return tablet.cell == cell; });
  };
  return std::ranges::all_of(cells, is_cell) ? cells : std::set<std::string>();
}

std::unexpected<Error> in_shard(std::unexpected<Error> error, const std::string& keyspace, std::string shard) {
  error.error().keyspace = keyspace;
  error.error().shard = std::move(shard);
  return error;
}

}  // namespace

Selection::Selection(std::string keyspace, std::vector<std::string> shards, std::vector<std::string> tables,
                     const TailOptions& options)
    : keyspace_(std::move(keyspace)),
      shards_(std::move(shards)),
      tables_(std::move(tables)),
      choice_(keyspace_, options) {}

Result<Selection> Selection::resolve(const TailOptions& options, const SqlClient& sql, const LogHook& log) {
  Selection selection;
  if (!options.selectors.empty()) selection.keyspace_ = options.selectors.front().keyspace;
  selection.choice_ = TableChoice(selection.keyspace_, options);
  auto done = selection.take_shards(options, sql);
  if (done) done = selection.keep_positioned_shards(options, log);
  if (!done) return std::unexpected(std::move(done.error()));
  const auto tablets = list_tablets(sql);
  if (!tablets) return std::unexpected(tablets.error());
  done = selection.check_tablets(options, *tablets, log);
  if (done) done = selection.take_tables(options, sql, log);
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
                         did_you_mean(keyspace_, {keyspaces.begin(), keyspaces.end()}, "keyspaces here")),
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
  for (const TableMatch& match : choice_.excluded()) {
    if (match.takes_all()) std::erase_if(taken, [&](const std::string& shard) { return match.is_on(shard); });
  }
  if (taken.empty())
    return fail(ErrorCode::kUsage, fmt::format("--exclude leaves nothing of keyspace \"{}\"", keyspace_));
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
Result<void> Selection::check_tablets(const TailOptions& options, const std::vector<Tablet>& tablets,
                                      const LogHook& log) const {
  const std::string_view wanted = tablet_type_name(options.tablet_type);
  const std::set<std::string> cells = only_cells(options, tablets);
  const std::string where = cells.empty() ? "" : fmt::format(" in cell {}", quoted_list(cells));
  for (const std::string& shard : shards_) {
    std::set<std::string> others;
    bool listed = false;
    bool serving = false;
    for (const Tablet& tablet : tablets) {
      if (tablet.keyspace != keyspace_ || tablet.shard != shard) continue;
      const bool fits = tablet.type == wanted && (cells.empty() || cells.contains(tablet.cell));
      listed = listed || fits;
      serving = serving || (fits && tablet.serving);
      if (!fits) others.insert(cells.empty() ? tablet.type : fmt::format("{} in {}", tablet.type, tablet.cell));
    }
    if (!listed) {
      return in_shard(
          fail(ErrorCode::kNoTablet, fmt::format("shard \"{}/{}\" has no {} tablet{}", keyspace_, shard, wanted, where),
               others.empty() ? "VTGate knows no tablet of it at all"
                              : fmt::format("it has: {}; choose with --tablet-type{}", fmt::join(others, ", "),
                                            cells.empty() ? "" : " or --cells")),
          keyspace_, shard);
    }
    if (!serving) {
      log(LogLevel::kWarning,
          fmt::format("no {} tablet{} of shard \"{}/{}\" is serving now", wanted, where, keyspace_, shard));
    }
  }
  return {};
}

bool Selection::names_shards() const {
  const auto names_shard = [](const TableMatch& match) { return match.selector().shard.has_value(); };
  return std::ranges::any_of(choice_.selected(), names_shard) || std::ranges::any_of(choice_.excluded(), names_shard);
}

std::string Selection::to_string() const {
  std::vector<std::string> texts;
  for (const TableMatch& match : choice_.selected()) texts.push_back(match.selector().to_string());
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace vstream
