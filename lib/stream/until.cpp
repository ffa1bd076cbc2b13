#include "stream/until.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "position/key_range.h"
#include "position/position.h"
#include "stream/shard_positions.h"

namespace vstream {
namespace {

constexpr std::string_view kFlavor = "MySQL56";

std::unexpected<Error> about(std::unexpected<Error> error, std::string_view keyspace, std::string_view shard) {
  error.error().keyspace = keyspace;
  error.error().shard = shard;
  return error;
}

// A MySQL position's set.
Result<GtidSet> set_of(std::string_view gtid, std::string_view keyspace, std::string_view shard) {
  auto position = Position::parse(gtid);
  if (!position) return about(std::unexpected(std::move(position.error())), keyspace, shard);
  if (position->flavor == kFlavor) return std::move(position->set);
  return about(fail(ErrorCode::kInvalidPosition,
                    fmt::format("shard \"{}/{}\" has positions of flavor {}, which cannot be compared with a target",
                                keyspace, shard, position->flavor),
                    "a run on it can end by --count, --duration or --idle-timeout"),
               keyspace, shard);
}

bool may_become(std::string_view shard, std::string_view other) {
  const auto range = KeyRange::parse(shard);
  const auto others = KeyRange::parse(other);
  return range && others && range->intersects(*others);
}

// Every transaction that the server can make.
GtidSet all_of(const Uuid& server) {
  return GtidSet::parse(fmt::format("{}:1-{}", server.to_string(), std::numeric_limits<std::int64_t>::max())).value();
}

}  // namespace

Result<Until> Until::make(const Vgtid& target, StopAt::Kind kind, std::string keyspace,
                          const std::vector<std::string>& shards) {
  Until until(kind, std::move(keyspace));
  for (const std::string& shard : shards) until.shards_[shard];
  std::set<std::string> strangers;
  for (const ShardPosition& position : target) {
    if (position.keyspace != until.keyspace_) {
      strangers.insert(position.keyspace + "/" + position.shard);
      continue;
    }
    auto set = set_of(position.gtid, until.keyspace_, position.shard);
    if (!set) return std::unexpected(std::move(set.error()));
    if (const auto streamed = until.shards_.find(position.shard); streamed != until.shards_.end()) {
      streamed->second.target = *std::move(set);
    } else if (std::ranges::any_of(shards, [&](const auto& shard) { return may_become(shard, position.shard); })) {
      until.unborn_[position.shard] = *std::move(set);
    } else {
      strangers.insert(position.keyspace + "/" + position.shard);
    }
  }
  std::set<std::string> aimless;
  for (const auto& [shard, goal] : until.shards_) {
    const bool becomes =
        std::ranges::any_of(until.unborn_, [&](const auto& born) { return may_become(shard, born.first); });
    if (goal.target.has_value() != becomes) continue;
    (becomes ? strangers : aimless).insert(until.keyspace_ + "/" + shard);
  }
  if (!strangers.empty()) {
    return fail(
        ErrorCode::kUsage,
        fmt::format("the target names shard \"{}\", which this stream does not bring", fmt::join(strangers, "\", \"")),
        fmt::format("streamed: \"{}\" of keyspace \"{}\"", fmt::join(shards, "\", \""), until.keyspace_));
  }
  if (aimless.empty()) return until;
  return fail(ErrorCode::kUsage,
              fmt::format("the target has no position for shard \"{}\"", fmt::join(aimless, "\", \"")),
              "name every streamed shard, or stream only some: KEYSPACE/SHARD");
}

Result<void> Until::begins(std::string_view shard, std::string_view gtid) {
  const auto found = shards_.find(shard);
  if (found == shards_.end() || !is_concrete(gtid)) return {};
  auto set = set_of(gtid, keyspace_, shard);
  if (!set) return std::unexpected(std::move(set.error()));
  Goal& goal = found->second;
  goal.start = goal.position = *std::move(set);
  goal.done = goal.target && goal.position.contains(*goal.target);
  return {};
}

Result<Until::Verdict> Until::judge(std::string_view shard, std::string_view gtid, std::string_view transaction,
                                    const Journal* journal) {
  const auto found = shards_.find(shard);
  if (found == shards_.end()) return Verdict{.gtid = std::string(gtid)};
  Goal& goal = found->second;
  if (journal != nullptr) return pass_journal(shard, goal, gtid, *journal);
  if (goal.done) return Verdict{.kind = Verdict::Kind::kSilent};
  return pass(shard, goal, gtid, transaction);
}

Result<Until::Verdict> Until::pass(std::string_view shard, Goal& goal, std::string_view gtid,
                                   std::string_view transaction) const {
  if (!goal.target || !is_concrete(gtid)) return Verdict{.gtid = std::string(gtid)};
  auto position = set_of(gtid, keyspace_, shard);
  if (!position) return std::unexpected(std::move(position.error()));
  auto own = GtidSet::parse(transaction);
  if (!own) own = GtidSet();
  if (!goal.start) goal.start = position->without(*own);
  // An event that only tells the position has no transaction of its own, and has gained none.
  const GtidSet gained = own->empty() && !goal.position.empty() ? position->without(goal.position) : *std::move(own);
  Verdict verdict{.kind = goal.target->contains(gained) ? Verdict::Kind::kBelongs : Verdict::Kind::kOutside,
                  .gtid = std::string(gtid)};
  const GtidSet outside = position->without(*goal.target).without(*goal.start);
  if (!outside.empty()) verdict.gtid = fmt::format("{}/{}", kFlavor, position->without(outside).to_string());
  goal.done = position->contains(*goal.target);
  goal.position = *std::move(position);
  return verdict;
}

Result<Until::Verdict> Until::pass_journal(std::string_view shard, Goal& goal, std::string_view gtid,
                                           const Journal& journal) {
  if (auto born = bear(journal); !born) return std::unexpected(std::move(born.error()));
  if (goal.done && !goal.journaled) return Verdict{.kind = Verdict::Kind::kSilent};
  if (kind_ == StopAt::Kind::kPositions && goal.target && !goal.journaled) {
    const auto position = set_of(gtid, keyspace_, shard);
    if (!position) return std::unexpected(position.error());
    if (const GtidSet missing = goal.target->without(*position); !missing.empty()) {
      return unreachable(shard, missing, "a reshard has ended the shard before");
    }
  }
  goal.done = goal.journaled = true;
  const bool one_stopped = std::ranges::any_of(journal.participants, [&](const Participant& participant) {
    const auto other = shards_.find(participant.shard);
    return other != shards_.end() && other->second.done && !other->second.journaled;
  });
  return Verdict{.kind = one_stopped ? Verdict::Kind::kOutside : Verdict::Kind::kBelongs, .gtid = std::string(gtid)};
}

// The new shards of a reshard.
Result<void> Until::bear(const Journal& journal) {
  for (const ShardPosition& shard : journal.shards) {
    const auto [born, is_new] = shards_.try_emplace(shard.shard);
    if (!is_new) continue;
    if (const auto named = unborn_.find(shard.shard); named != unborn_.end()) {
      born->second.target = named->second;
      if (auto begun = begins(shard.shard, shard.gtid); !begun) return begun;
    } else {
      born->second.done = true;
    }
  }
  return {};
}

bool Until::done() const {
  return std::ranges::all_of(shards_, [](const auto& shard) { return shard.second.done; });
}

std::map<std::string, GtidSet> Until::stuck() {
  std::map<std::string, GtidSet> stuck;
  for (auto& [shard, goal] : shards_) {
    if (goal.done || !goal.target) continue;
    GtidSet missing = goal.target->without(goal.position);
    if (goal.missed && *goal.missed != missing) goal.waits_for_some = false;
    if (!goal.missed || *goal.missed == missing) stuck[shard] = missing;
    goal.missed = std::move(missing);
  }
  return stuck;
}

Result<void> Until::check(const std::string& shard, const GtidSet& missing, const ShardHistories& histories) {
  const Reach found = reach(missing, histories);
  if (!found.never.empty()) return unreachable(shard, found.never, "no server of the shard can bring them");
  Goal& goal = shards_[shard];
  if (found.by_some != missing) return {};
  if (std::exchange(goal.waits_for_some, true)) {
    return unreachable(shard, found.by_some, "only some of its tablets have them, and its primary never had");
  }
  return {};
}

std::unexpected<Error> Until::unreachable(std::string_view shard, const GtidSet& missing, std::string_view why) const {
  constexpr std::size_t kShown = 400;
  std::string shown = missing.to_string();
  if (shown.size() > kShown) shown = shown.substr(0, kShown) + "…";
  return about(fail(ErrorCode::kPositionLost,
                    fmt::format("the target of shard \"{}/{}\" cannot be reached: {}; missing are {}", keyspace_, shard,
                                why, shown),
                    "take a target that the shard's primary has, or --until current; what was printed before stands"),
               keyspace_, shard);
}

Reach reach(const GtidSet& missing, const ShardHistories& histories) {
  // Who does not answer may have anything.
  if (!histories.primary || !histories.complete || histories.streamed.empty()) return {};
  const ServerHistory& primary = *histories.primary;
  // What the primary has not made yet, it may make.
  GtidSet may_come = all_of(primary.server).without(primary.executed);
  may_come.merge(primary.executed.without(primary.purged));
  const GtidSet left = missing.without(may_come);
  GtidSet missed_by_some;
  GtidSet by_none = left;
  for (const ServerHistory& tablet : histories.streamed) {
    missed_by_some.merge(left.without(tablet.executed));
    by_none = by_none.without(tablet.executed);
  }
  return {.never = by_none, .by_some = missed_by_some.without(by_none)};
}

}  // namespace vstream
