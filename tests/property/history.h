#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query.pb.h"

/// What happens in a small keyspace: the truth that a stream of it is judged by.
namespace vstream::property {

using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

struct Column {
  std::string name;
  query::Type type = query::INT64;
  std::string column_type = {};
  std::uint32_t charset = 63;  ///< a MySQL collation id
  std::uint32_t flags = 0;
  Cell default_value = {};  ///< what older rows get when a DDL adds the column
};

struct Table {
  std::string name;
  std::vector<Column> columns;     ///< the last ones are added by DDLs, on each shard at a time of its own
  std::size_t first_columns = 0;   ///< so many are there from the start
  std::vector<std::size_t> key{};  ///< which columns; none: a table without a key
  bool comes_later = false;        ///< a DDL makes it

  bool has_key() const { return !key.empty(); }
};

/// One row changed. A row has as many cells as its table had columns then.
struct Change {
  std::size_t table = 0;
  std::optional<Row> before = {};
  std::optional<Row> after = {};
};

/// What one GTID stands for.
struct Transaction {
  enum class Kind : std::uint8_t {
    kRows,  ///< possibly none
    kRolledBack,
    kDdl,
    kOther
  };
  Kind kind = Kind::kRows;
  std::vector<Change> changes = {};
  std::string statement = {};
  std::optional<std::size_t> table = {};  ///< of the DDL: it gives it its next column, or makes it; none: one of others
  bool makes_table = false;
  std::string gtid = {};  ///< "uuid:7"
  std::int64_t time = 0;  ///< seconds
};

/// A place in a shard's history is the number of transactions before it.
using Place = std::size_t;

struct Shard {
  std::string name;
  std::vector<std::vector<Row>> first_rows;  ///< per table
  std::vector<Transaction> transactions;
  std::vector<Place> made;             ///< per table: where it exists
  std::vector<std::string> positions;  ///< of each place: "MySQL56/…"

  Place end() const { return transactions.size(); }
  std::optional<Place> find(std::string_view position) const;
};

struct History {
  std::string keyspace;
  std::vector<Table> tables;  ///< in byte order of their names
  std::vector<Shard> shards;

  std::optional<std::size_t> find_table(std::string_view name) const;
  /// The rows of a table at a place, in the order in which a copy reads them.
  std::vector<Row> rows_at(std::size_t shard, std::size_t table, Place place) const;
  /// How many columns it has there.
  std::size_t columns_at(std::size_t shard, std::size_t table, Place place) const;
};

/// How MySQL sorts two values of a column, NULL first. (Text keys here sort by bytes in every collation.)
int compare_cells(const Column& column, const Cell& a, const Cell& b);

/// Applies one change to the rows of its table; of equal rows one is changed.
void apply_change(const Change& change, std::vector<Row>& rows);

}  // namespace vstream::property
