#include "shard_stream.h"

#include <algorithm>
#include <utility>

namespace vstream::property {
namespace {

/// The cells of a cursor's row, by the names of its fields.
std::vector<std::pair<std::size_t, Cell>> cursor_cells(const Table& table, const query::QueryResult& cursor) {
  std::vector<std::pair<std::size_t, Cell>> cells;
  const query::Row& row = cursor.rows(0);
  std::size_t at = 0;
  for (int i = 0; i < cursor.fields_size() && i < row.lengths_size(); ++i) {
    const auto column = std::ranges::find(table.columns, cursor.fields(i).name(), &Column::name);
    if (column == table.columns.end()) continue;
    Cell cell;
    if (row.lengths(i) >= 0) {
      const auto length = static_cast<std::size_t>(row.lengths(i));
      cell = row.values().substr(at, length);
      at += length;
    }
    cells.emplace_back(static_cast<std::size_t>(column - table.columns.begin()), std::move(cell));
  }
  return cells;
}

/// `a > x or (a = x and (b > y or …))`: with a NULL on either side neither is true.
bool is_after(const Table& table, const Row& row, const std::vector<std::pair<std::size_t, Cell>>& cursor) {
  for (const auto& [column, cell] : cursor) {
    if (!cell || !row[column]) return false;
    const int order = compare_cells(table.columns[column], row[column], cell);
    if (order != 0) return order > 0;
  }
  return false;
}

/// The cursor of a copy that has come to `row`: the key's columns, or all of a table without a key.
query::QueryResult make_cursor(const Table& table, const Row& row) {
  query::QueryResult cursor;
  Row cells;
  const std::size_t count = table.has_key() ? table.key.size() : row.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t column = table.has_key() ? table.key[i] : i;
    *cursor.add_fields() = to_field(table.columns[column]);
    cells.push_back(row[column]);
  }
  *cursor.add_rows() = to_row(cells);
  return cursor;
}

}  // namespace

ShardStream::ShardStream(const History& history, std::size_t shard, const Asked& asked, const binlogdata::VGtid& vgtid,
                         binlogdata::ShardGtid& entry)
    : history_(history), shard_(shard), asked_(asked), vgtid_(vgtid), entry_(entry), maker_(history, shard) {
  restart();
}

void ShardStream::restart() {
  copying_ = false;
  snapshot_.reset();
  announced_.clear();
  plans_.clear();
  place_ = history_.shards[shard_].find(entry_.gtid());
  if (!place_ && !entry_.gtid().empty()) {
    refusal_ = "invalid MySQL 5.6 GTID set: no server has given out the position " + entry_.gtid();
    return;
  }
  for (std::size_t table = 0; table < history_.tables.size(); ++table) {
    const std::string& name = history_.tables[table].name;
    const bool asked = asked_.matched[table] && (asked_.copy.empty() || asked_.copy.contains(name));
    if (!asked || (place_ && entry_.table_p_ks().empty())) continue;
    Plan plan{.table = table, .cursor = {}};
    const binlogdata::TableLastPK* const pk = find_entry(name);
    if (pk != nullptr && pk->has_lastpk()) {
      if (pk->lastpk().fields().empty()) refusal_ = "lastpk for table " + name + " has no fields defined";
      plan.has_cursor = true;
      plan.cursor = pk->lastpk();
    }
    plans_.push_back(std::move(plan));
  }
  if (!place_ && plans_.empty()) refusal_ = "stream needs a position or a table to copy";
}

binlogdata::TableLastPK* ShardStream::find_entry(const std::string& table) {
  auto& entries = *entry_.mutable_table_p_ks();
  const auto found = std::ranges::find(entries, table, &binlogdata::TableLastPK::table_name);
  return found == entries.end() ? nullptr : &*found;
}

void ShardStream::move_to(Place place) {
  place_ = place;
  entry_.set_gtid(history_.shards[shard_].positions[place]);
}

Events ShardStream::next(Place now, Random& random) {
  if (copying_) return rows_.empty() ? end_copy() : copy_rows(random);
  if (copies()) {
    // The tablet catches up, then takes a snapshot, and first streams what is missing to that.
    if (!snapshot_ && (!place_ || place_ == now || random.chance(30))) snapshot_ = now;
    if (snapshot_ && (!place_ || place_ == snapshot_)) return begin_copy(random);
  }
  return place_ < now ? deliver(random) : Events();
}

Events ShardStream::deliver(Random& random) {
  const Transaction& transaction = history_.shards[shard_].transactions[*place_];
  move_to(*place_ + 1);
  if (transaction.kind == Transaction::Kind::kRows || transaction.kind == Transaction::Kind::kRolledBack) {
    return deliver_changes(transaction, random);
  }
  const bool shown = transaction.kind == Transaction::Kind::kDdl &&
                     (transaction.table ? asked_.matched[*transaction.table] : asked_.everything);
  if (transaction.table) announced_.erase(*transaction.table);
  return {maker_.vgtid(vgtid_), maker_.event(shown ? binlogdata::DDL : binlogdata::OTHER, &transaction)};
}

bool ShardStream::is_left_out(std::size_t table) const {
  if (!asked_.matched[table]) return true;
  return std::ranges::any_of(plans_, [&](const Plan& plan) { return plan.table == table && !plan.has_cursor; });
}

Events ShardStream::deliver_changes(const Transaction& transaction, Random& random) {
  Events events = {maker_.event(binlogdata::BEGIN, &transaction)};
  if (random.chance(5)) events.push_back(maker_.event(binlogdata::VERSION, &transaction));
  const Change* last = nullptr;
  for (const Change& change : transaction.changes) {
    if (is_left_out(change.table)) continue;
    if (announced_.insert(change.table).second) {
      events.push_back(
          maker_.field(change.table, (change.after ? *change.after : *change.before).size(), &transaction));
      last = nullptr;
    }
    // One event of MySQL's holds changes of one kind.
    const bool joins = last != nullptr && last->table == change.table && random.chance(50) &&
                       last->before.has_value() == change.before.has_value() &&
                       last->after.has_value() == change.after.has_value();
    if (!joins) events.push_back(maker_.row(change.table, &transaction));
    EventMaker::add_change(events.back(), change);
    last = &change;
  }
  events.push_back(maker_.vgtid(vgtid_));
  const bool stands = transaction.kind == Transaction::Kind::kRows;
  events.push_back(maker_.event(stands ? binlogdata::COMMIT : binlogdata::ROLLBACK, &transaction));
  return events;
}

Events ShardStream::begin_copy(Random& random) {
  const Plan& plan = plans_.front();
  const Table& table = history_.tables[plan.table];
  rows_ = history_.rows_at(shard_, plan.table, *snapshot_);
  if (plan.has_cursor && !plan.cursor.rows().empty()) {
    const auto cursor = cursor_cells(table, plan.cursor);
    std::erase_if(rows_, [&](const Row& row) { return !is_after(table, row, cursor); });
  }
  copying_ = is_first_piece_ = true;
  announced_.clear();
  Events events = {maker_.event(binlogdata::BEGIN, nullptr),
                   maker_.field(plan.table, history_.columns_at(shard_, plan.table, *snapshot_), nullptr)};
  const bool moved = place_ != snapshot_;
  move_to(*snapshot_);
  if (moved || random.chance(30)) events.push_back(maker_.vgtid(vgtid_));
  return events;
}

Events ShardStream::copy_rows(Random& random) {
  Plan& plan = plans_.front();
  const Table& table = history_.tables[plan.table];
  Events events;
  if (!std::exchange(is_first_piece_, false)) events.push_back(maker_.event(binlogdata::BEGIN, nullptr));
  const std::size_t count = std::min(rows_.size(), random.between(1, 6));
  for (std::size_t i = 0; i < count; ++i) {
    events.push_back(maker_.row(plan.table, nullptr));
    EventMaker::add_change(events.back(), {.table = plan.table, .after = rows_[i]});
  }
  plan.has_cursor = true;
  plan.cursor = make_cursor(table, rows_[count - 1]);
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
  binlogdata::TableLastPK* entry = find_entry(table.name);
  if (entry == nullptr) entry = entry_.add_table_p_ks();
  entry->set_table_name(table.name);
  *entry->mutable_lastpk() = plan.cursor;
  events.push_back(maker_.vgtid(vgtid_));
  events.push_back(maker_.event(binlogdata::COMMIT, nullptr));
  return events;
}

Events ShardStream::end_copy() {
  const std::string& name = history_.tables[plans_.front().table].name;
  auto& entries = *entry_.mutable_table_p_ks();
  const auto found = std::ranges::find(entries, name, &binlogdata::TableLastPK::table_name);
  if (found != entries.end()) entries.erase(found);
  plans_.erase(plans_.begin());
  copying_ = is_first_piece_ = false;
  snapshot_.reset();
  announced_.clear();
  Events events = {maker_.event(binlogdata::BEGIN, nullptr), maker_.vgtid(vgtid_),
                   maker_.event(binlogdata::COMMIT, nullptr)};
  completed_ = plans_.empty();
  if (completed_) events.push_back(maker_.event(binlogdata::COPY_COMPLETED, nullptr));
  return events;
}

}  // namespace vstream::property
