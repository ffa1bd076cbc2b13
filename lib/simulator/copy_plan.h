#pragma once

#include <expected>
#include <string>
#include <vector>

#include "simulator/name_match.h"
#include "simulator/table_schema.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// Which tables one shard's stream copies, in the order of their names, and which changes it holds back meanwhile. The
/// rules are those of VTGate 24 (go/vt/vttablet/tabletserver/vstreamer/uvstreamer.go), the harmful ones included:
/// without `tables_to_copy` every table of the filter is copied, whatever the cursors say.
class CopyPlan {
 public:
  /// A position without cursors copies nothing; a plan without tables is then right. `tables` are those of the shard.
  /// Errors: what the tablet says (a table is not there, a cursor has no fields, nothing to copy).
  static std::expected<CopyPlan, std::string> make(const binlogdata::ShardGtid& start, const TableFilter& filter,
                                                   const vtgate::VStreamFlags& flags,
                                                   const std::vector<const TableSchema*>& tables);

  bool finished() const { return waiting_.empty(); }

  /// The table whose turn it is. Only while not finished.
  const TableSchema& table() const { return *waiting_.front(); }
  void next() { waiting_.erase(waiting_.begin()); }

  /// A table that was not begun and has no cursor gets no changes: its copy will have them.
  bool holds_back(const TableSchema& table, const binlogdata::ShardGtid& now) const;

 private:
  std::vector<const TableSchema*> waiting_;
};

/// The cursor of that table in a shard's position; null if there is no entry for it.
const binlogdata::TableLastPK* find_cursor(const binlogdata::ShardGtid& shard, std::string_view table);

/// Sets the cursor of the table that is being copied to that row: the values of the key's columns.
void set_cursor(binlogdata::ShardGtid& shard, const std::string& table, const std::vector<query::Field>& fields,
                const query::Row& key);

/// The table is done: its entry goes, the last one takes its place.
void remove_cursor(binlogdata::ShardGtid& shard, std::string_view table);

}  // namespace vstream::simulator
