#include "position/reshard.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "position/key_range.h"

namespace vstream {
namespace {

struct RangedShard {
  KeyRange range;
  std::string_view shard;
  std::string_view keyspace;

  friend auto operator<=>(const RangedShard&, const RangedShard&) = default;
};

/// The shards with their key ranges, in the order of these.
template <typename Shards>
Result<std::vector<RangedShard>> by_range(const Shards& shards) {
  std::vector<RangedShard> result;
  for (const auto& shard : shards) {
    Result<KeyRange> range = KeyRange::parse(shard.shard);
    if (!range) return std::unexpected(std::move(range.error()));
    result.push_back({std::move(*range), shard.shard, shard.keyspace});
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

Result<std::vector<ShardLineage>> lineage(const Journal& journal) {
  Result<std::vector<RangedShard>> olds = by_range(journal.participants);
  if (!olds) return std::unexpected(std::move(olds.error()));
  Result<std::vector<RangedShard>> news = by_range(journal.shards);
  if (!news) return std::unexpected(std::move(news.error()));

  std::vector<ShardLineage> result;
  for (const RangedShard& to : *news) {
    ShardLineage& entry = result.emplace_back(std::string(to.shard), std::vector<LineagePart>{});
    for (const RangedShard& from : *olds) {
      if (from.keyspace != to.keyspace) continue;
      std::optional<KeyRange> common = from.range.intersection(to.range);
      if (common) entry.from.push_back({std::string(from.shard), common->to_string()});
    }
  }
  return result;
}

}  // namespace vstream
