#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "position/gtid_set.h"
#include "simulator/table_schema.h"

namespace vstream::simulator {

using Cell = std::optional<std::string>;  ///< as on the wire; none: NULL
using Row = std::vector<Cell>;            ///< in the order of the table's fields

query::Row to_wire(const Row& row);

/// One row that was inserted (no before), updated, or deleted (no after).
struct Change {
  const TableSchema* table = nullptr;
  std::optional<Row> before = {};
  std::optional<Row> after = {};
};

/// A committed transaction, small enough to keep many: the images are serialised query.Row, empty if there is none.
struct Transaction {
  struct Image {
    const TableSchema* table = nullptr;
    std::string before;
    std::string after;
  };
  std::int64_t number = 0;  ///< of its GTID
  std::int64_t time = 0;    ///< of its commit, seconds
  std::vector<Image> images;
};
using TransactionPtr = std::shared_ptr<const Transaction>;

/// The MySQL server of one shard: its tables as they are now, and its binlog, of which the last transactions are kept.
/// Thread safe. No foreign code runs under its lock.
class ShardLog {
 public:
  using Rows = std::map<std::int64_t, Row>;  ///< by primary key

  ShardLog(std::string shard, Uuid server, std::size_t most_transactions);

  const std::string& shard() const { return shard_; }
  const Uuid& server() const { return server_; }

  /// Applies the changes (in order, at least one) as one transaction.
  void commit(std::vector<Change> changes);

  /// The row with that key now.
  std::optional<Row> find(const TableSchema& table, std::int64_t key) const;

  /// Its transactions 1 to `last`.
  GtidSet numbers(std::int64_t last) const;
  GtidSet executed() const;
  GtidSet purged() const;

  /// The number of the last transaction.
  std::int64_t last() const;

  /// Transactions from `first` on, at most `most`. None (nullopt) if some of them are purged.
  std::optional<std::vector<TransactionPtr>> read(std::int64_t first, std::size_t most) const;

  struct Snapshot {
    std::int64_t last = 0;  ///< the last transaction that it contains
    Rows rows;
  };
  /// The rows whose key is greater than `after` (none: all), as of now.
  Snapshot snapshot(const TableSchema& table, std::optional<std::int64_t> after) const;

 private:
  const std::string shard_;
  const Uuid server_;
  const std::size_t most_transactions_;

  mutable std::mutex mutex_;
  std::map<const TableSchema*, Rows> tables_;
  std::deque<TransactionPtr> binlog_;  ///< numbers without a gap
  std::int64_t last_ = 0;
};

}  // namespace vstream::simulator
