#include "simulator/copy_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace vstream::simulator {

std::expected<CopyPlan, std::string> CopyPlan::make(const binlogdata::ShardGtid& start, const TableFilter& filter,
                                                    const vtgate::VStreamFlags& flags,
                                                    const std::vector<const TableSchema*>& tables) {
  CopyPlan plan;
  if (!start.gtid().empty() && start.table_p_ks().empty()) return plan;
  for (const std::string& name : filter.exact_names()) {
    if (std::ranges::find(tables, name, &TableSchema::name) == tables.end()) {
      return std::unexpected(fmt::format("table {} is not present in the database", name));
    }
  }
  for (const binlogdata::TableLastPK& cursor : start.table_p_ks()) {
    if (cursor.has_lastpk() && cursor.lastpk().fields().empty()) {
      return std::unexpected(fmt::format("lastpk for table {} has no fields defined", cursor.table_name()));
    }
  }
  const auto& only = flags.tables_to_copy();
  for (const TableSchema* table : tables) {
    bool asked = only.empty() || std::ranges::find(only, table->name) != only.end();
    if (asked && filter.matches(table->name)) plan.waiting_.push_back(table);
  }
  std::ranges::sort(plan.waiting_, {}, [](const TableSchema* table) { return table->name; });
  if (start.gtid().empty() && plan.finished()) return std::unexpected("stream needs a position or a table to copy");
  return plan;
}

bool CopyPlan::holds_back(const TableSchema& table, const binlogdata::ShardGtid& now) const {
  if (std::ranges::find(waiting_, &table) == waiting_.end()) return false;
  const binlogdata::TableLastPK* cursor = find_cursor(now, table.name);
  return cursor == nullptr || !cursor->has_lastpk();
}

const binlogdata::TableLastPK* find_cursor(const binlogdata::ShardGtid& shard, std::string_view table) {
  for (const binlogdata::TableLastPK& cursor : shard.table_p_ks()) {
    if (cursor.table_name() == table) return &cursor;
  }
  return nullptr;
}

void set_cursor(binlogdata::ShardGtid& shard, const std::string& table, const std::vector<query::Field>& fields,
                const query::Row& key) {
  auto& cursors = *shard.mutable_table_p_ks();
  auto it = std::ranges::find(cursors, table, &binlogdata::TableLastPK::table_name);
  binlogdata::TableLastPK& cursor = it == cursors.end() ? *cursors.Add() : *it;
  cursor.set_table_name(table);
  query::QueryResult& lastpk = *cursor.mutable_lastpk();
  lastpk.Clear();
  lastpk.mutable_fields()->Assign(fields.begin(), fields.end());
  *lastpk.add_rows() = key;
}

void remove_cursor(binlogdata::ShardGtid& shard, std::string_view table) {
  auto& cursors = *shard.mutable_table_p_ks();
  auto it = std::ranges::find(cursors, table, &binlogdata::TableLastPK::table_name);
  if (it == cursors.end()) return;
  cursors.SwapElements(static_cast<int>(it - cursors.begin()), cursors.size() - 1);
  cursors.RemoveLast();
}

}  // namespace vstream::simulator
