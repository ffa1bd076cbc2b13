#include "simulator/shard_log.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace vstream::simulator {
namespace {

std::int64_t key_of(const Row& row) { return std::stoll(row.front().value()); }

std::string serialised(const std::optional<Row>& row) { return row ? to_wire(*row).SerializeAsString() : ""; }

}  // namespace

query::Row to_wire(const Row& row) {
  query::Row out;
  for (const Cell& cell : row) {
    out.add_lengths(cell ? static_cast<std::int64_t>(cell->size()) : -1);
    if (cell) out.mutable_values()->append(*cell);
  }
  return out;
}

ShardLog::ShardLog(std::string shard, Uuid server, std::size_t most_transactions)
    : shard_(std::move(shard)), server_(server), most_transactions_(most_transactions) {}

void ShardLog::commit(std::vector<Change> changes) {
  auto transaction = std::make_shared<Transaction>();
  transaction->time =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const Change& change : changes) {
    transaction->images.push_back({change.table, serialised(change.before), serialised(change.after)});
  }
  std::lock_guard lock(mutex_);
  for (Change& change : changes) {
    Rows& rows = tables_[change.table];
    if (change.before) rows.erase(key_of(*change.before));
    if (change.after) rows.insert_or_assign(key_of(*change.after), std::move(*change.after));
  }
  transaction->number = ++last_;
  binlog_.push_back(std::move(transaction));
  if (binlog_.size() > most_transactions_) binlog_.pop_front();
}

std::optional<Row> ShardLog::find(const TableSchema& table, std::int64_t key) const {
  std::lock_guard lock(mutex_);
  auto rows = tables_.find(&table);
  if (rows == tables_.end()) return std::nullopt;
  auto row = rows->second.find(key);
  return row == rows->second.end() ? std::nullopt : std::optional(row->second);
}

GtidSet ShardLog::numbers(std::int64_t last) const {
  if (last == 0) return {};
  return GtidSet::parse(fmt::format("{}:1-{}", server_.to_string(), last)).value();
}

GtidSet ShardLog::executed() const { return numbers(last()); }

GtidSet ShardLog::purged() const {
  std::lock_guard lock(mutex_);
  return numbers(last_ - static_cast<std::int64_t>(binlog_.size()));
}

std::int64_t ShardLog::last() const {
  std::lock_guard lock(mutex_);
  return last_;
}

std::optional<std::vector<TransactionPtr>> ShardLog::read(std::int64_t first, std::size_t most) const {
  std::lock_guard lock(mutex_);
  std::int64_t kept = last_ - static_cast<std::int64_t>(binlog_.size()) + 1;
  if (first < kept) return std::nullopt;
  std::vector<TransactionPtr> out;
  for (auto at = static_cast<std::size_t>(first - kept); at < binlog_.size() && out.size() < most; ++at) {
    out.push_back(binlog_[at]);
  }
  return out;
}

ShardLog::Snapshot ShardLog::snapshot(const TableSchema& table, std::optional<std::int64_t> after) const {
  std::lock_guard lock(mutex_);
  Snapshot out{.last = last_, .rows = {}};
  auto rows = tables_.find(&table);
  if (rows == tables_.end()) return out;
  auto from = after ? rows->second.upper_bound(*after) : rows->second.begin();
  out.rows = Rows(from, rows->second.end());
  return out;
}

}  // namespace vstream::simulator
