#include "stream/copy_plan.h"

#include <algorithm>
#include <utility>

namespace vstream {

CopyPlan::CopyPlan(std::vector<std::string> tables, std::vector<std::string> shards)
    : tables_(std::move(tables)), shards_(std::move(shards)), copying_(shards_.begin(), shards_.end()) {
  std::sort(tables_.begin(), tables_.end());
}

std::vector<std::string> CopyPlan::finished_tables() const {
  return {tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(current_)};
}

bool CopyPlan::shard_reported(std::string_view shard, const std::vector<CopyCursor>& cursors) {
  if (complete() || std::ranges::find(cursors, table(), &CopyCursor::table) != cursors.end()) return false;
  const auto found = copying_.find(shard);
  if (found == copying_.end()) return false;
  copying_.erase(found);
  return true;
}

void CopyPlan::next_table() {
  ++current_;
  copying_.insert(shards_.begin(), shards_.end());
}

}  // namespace vstream
