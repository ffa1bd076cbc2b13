#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stream/assembler.h"

namespace vstream {

/// The order of a copy: one table per request, in byte order of the names, the next one when every shard has finished.
/// VTGate alone skips tables and swallows deletes when it copies several in one request and a tablet fails (seen on
/// 24.0.4). Not synchronised.
class CopyPlan {
 public:
  CopyPlan(std::vector<std::string> tables, std::vector<std::string> shards);

  /// True when no table is left to copy.
  bool complete() const { return current_ == tables_.size(); }
  /// The table that is copied now. Not when complete().
  const std::string& table() const { return tables_[current_]; }
  /// The tables before it: their changes are streamed while it is copied.
  std::vector<std::string> finished_tables() const;
  bool is_last_table() const { return current_ + 1 == tables_.size(); }

  /// A VGTID of `shard` listed these cursors. True if this shard has finished the table with it.
  bool shard_reported(std::string_view shard, const std::vector<CopyCursor>& cursors);
  /// True when every shard has finished the table.
  bool table_finished() const { return copying_.empty(); }
  /// Goes on to the next table.
  void next_table();

 private:
  std::vector<std::string> tables_;
  std::vector<std::string> shards_;
  std::size_t current_ = 0;
  std::set<std::string, std::less<>> copying_;  // shards that have not finished table()
};

}  // namespace vstream
