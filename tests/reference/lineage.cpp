#include "lineage.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "text.h"

namespace vstream::reference {
namespace {

/// A shard's key range in hexadecimal digits, which sort as the bytes do. An open end is a character behind all digits.
struct Range {
  std::string start;
  std::string end;
};

const std::string kOpen = "~";

std::string digits(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (result.ends_with("00")) result.resize(result.size() - 2);
  return result;
}

Range range_of(std::string_view shard) {
  const std::size_t dash = shard.find('-');
  if (dash == shard.npos) return {"", kOpen};
  const std::string end = digits(shard.substr(dash + 1));
  return {digits(shard.substr(0, dash)), end.empty() ? kOpen : end};
}

std::string print(const Range& range) { return range.start + "-" + (range.end == kOpen ? "" : range.end); }

struct Shard {
  std::string keyspace;
  std::string name;
  std::string gtid;
  Range range;
};

void sort(std::vector<Shard>& shards) {
  std::ranges::sort(shards, {}, [](const Shard& shard) { return std::pair(shard.range.start, shard.range.end); });
}

template <typename Print>
std::string list(const std::vector<Shard>& shards, Print print_one) {
  std::string text;
  for (const Shard& shard : shards) text += (text.empty() ? "" : ",") + print_one(shard);
  return "[" + text + "]";
}

/// The old shards that overlap a new one, each with the common part.
std::string origins(const Shard& shard, const std::vector<Shard>& olds) {
  std::string text;
  for (const Shard& old : olds) {
    const Range common{std::max(old.range.start, shard.range.start), std::min(old.range.end, shard.range.end)};
    if (old.keyspace != shard.keyspace || common.start >= common.end) continue;
    text += (text.empty() ? "" : ",") + std::string("{\"shard\":") + json_string(old.name) +
            ",\"range\":" + json_string(print(common)) + "}";
  }
  return "[" + text + "]";
}

}  // namespace

std::string reshard_line(const binlogdata::Journal& journal, const std::string& keyspace) {
  std::vector<Shard> olds;
  std::vector<Shard> news;
  for (const auto& old : journal.participants())
    olds.push_back({old.keyspace(), old.shard(), "", range_of(old.shard())});
  for (const auto& to : journal.shard_gtids())
    news.push_back({to.keyspace(), to.shard(), to.gtid(), range_of(to.shard())});
  sort(olds);
  sort(news);

  auto name = [](const Shard& shard) { return json_string(shard.name); };
  auto position = [](const Shard& shard) {
    return "{\"shard\":" + json_string(shard.name) + ",\"gtid\":" + json_string(shard.gtid) + "}";
  };
  auto lineage = [&olds](const Shard& shard) {
    return "{\"shard\":" + json_string(shard.name) + ",\"from\":" + origins(shard, olds) + "}";
  };
  const char* migration = journal.migration_type() == binlogdata::SHARDS ? "shards" : "tables";
  return "{\"type\":\"reshard\",\"keyspace\":" + json_string(keyspace) + ",\"id\":" + std::to_string(journal.id()) +
         ",\"migration\":\"" + migration + "\",\"participants\":" + list(olds, name) +
         ",\"shards\":" + list(news, position) + ",\"lineage\":" + list(news, lineage) + "}";
}

}  // namespace vstream::reference
