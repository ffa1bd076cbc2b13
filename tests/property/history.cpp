#include "history.h"

#include <algorithm>

namespace vstream::property {

namespace {

bool adds_column(const Transaction& transaction, std::size_t table) {
  return transaction.table == table && !transaction.makes_table;
}

}  // namespace

std::optional<Place> Shard::find(std::string_view position) const {
  const auto found = std::ranges::find(positions, position);
  if (found == positions.end()) return std::nullopt;
  return static_cast<Place>(found - positions.begin());
}

std::optional<std::size_t> History::find_table(std::string_view name) const {
  const auto found = std::ranges::find(tables, name, &Table::name);
  if (found == tables.end()) return std::nullopt;
  return static_cast<std::size_t>(found - tables.begin());
}

std::size_t History::columns_at(std::size_t shard, std::size_t table, Place place) const {
  std::size_t columns = tables[table].first_columns;
  for (Place at = 0; at < place; ++at) columns += adds_column(shards[shard].transactions[at], table) ? 1U : 0U;
  return columns;
}

std::vector<Row> History::rows_at(std::size_t shard, std::size_t table, Place place) const {
  const Table& described = tables[table];
  std::vector<Row> rows = shards[shard].first_rows[table];
  for (Place at = 0; at < place; ++at) {
    const Transaction& transaction = shards[shard].transactions[at];
    if (adds_column(transaction, table)) {
      for (Row& row : rows) row.push_back(described.columns[row.size()].default_value);
    }
    if (transaction.kind != Transaction::Kind::kRows) continue;
    for (const Change& change : transaction.changes) {
      if (change.table == table) apply_change(change, rows);
    }
  }
  std::ranges::sort(rows, [&](const Row& a, const Row& b) {
    const std::size_t columns = described.has_key() ? described.key.size() : a.size();
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t column = described.has_key() ? described.key[i] : i;
      const int order = compare_cells(described.columns[column], a[column], b[column]);
      if (order != 0) return order < 0;
    }
    return false;
  });
  return rows;
}

int compare_cells(const Column& column, const Cell& a, const Cell& b) {
  if (!a || !b) return static_cast<int>(a.has_value()) - static_cast<int>(b.has_value());
  if (column.type != query::INT64) return a->compare(*b);
  const auto x = std::stoll(*a);
  const auto y = std::stoll(*b);
  return x < y ? -1 : static_cast<int>(x > y);
}

void apply_change(const Change& change, std::vector<Row>& rows) {
  if (!change.before) {
    rows.push_back(*change.after);
    return;
  }
  const auto row = std::ranges::find(rows, *change.before);
  if (row == rows.end()) return;
  if (change.after) {
    *row = *change.after;
  } else {
    rows.erase(row);
  }
}

}  // namespace vstream::property
