#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vstream {

/// What a value's text is. docs/values.md has every MySQL type; texts are as there, but without the JSON around them.
enum class ValueType : std::uint8_t {
  kInteger,    ///< integers, YEAR, BIT: digits
  kDecimal,    ///< exact digits, "0.10"
  kFloat,      ///< FLOAT, DOUBLE: the shortest text that reads back the same
  kDateTime,   ///< DATE, DATETIME, TIME: as MySQL prints it
  kTimestamp,  ///< RFC 3339 in UTC; a zero one as MySQL prints it
  kText,       ///< CHAR, VARCHAR, TEXT, ENUM, SET: UTF-8
  kBytes,      ///< BINARY, VARBINARY, BLOB, GEOMETRY: the bytes themselves
  kJson,       ///< the document
  kVector      ///< a JSON array of numbers
};

struct ColumnInfo {
  std::string name;
  ValueType type = ValueType::kText;
  std::string column_type;  ///< as MySQL names it, "varchar(20)"; empty if the server did not say
  bool primary_key = false;
};

/// A table on one shard, as it was when a row changed. Shards may run a DDL at different times.
struct TableInfo {
  std::string keyspace;
  std::string shard;
  std::string name;  ///< bare
  std::vector<ColumnInfo> columns;

  /// The number of the column with this name, which is case-sensitive. O(columns).
  std::optional<std::size_t> find(std::string_view column) const;
};

enum class ValueState : std::uint8_t {
  kAbsent,   ///< the image does not hold this column (binlog_row_image, PARTIAL_JSON)
  kNull,     ///< SQL NULL
  kValue,    ///< `text` is the value
  kJsonDiff  ///< the image holds a difference instead of the column: `text`, e.g. JSON_REPLACE(%s, '$.a', 1)
};

/// A column in the image of a row.
struct Value {
  ValueState state = ValueState::kAbsent;
  ValueType type = ValueType::kText;
  bool lossy = false;          ///< the text is not exactly what is stored: characters became U+FFFD, say
  std::string_view text = {};  ///< any bytes if kBytes, else UTF-8; empty unless kValue or kJsonDiff

  /// The text, if there is a value: neither NULL nor missing.
  std::optional<std::string_view> get() const {
    return state == ValueState::kValue ? std::optional(text) : std::nullopt;
  }
};

enum class RowOp : std::uint8_t {
  kCreated,
  kUpdated,
  kDeleted,
  kCopied  ///< read by a copy
};

/// One change of one row. A view: all of it is valid while the flush callback runs; copy what is to stay.
struct RowChange {
  RowOp op = RowOp::kCreated;
  const TableInfo* table = nullptr;  ///< never null
  std::string_view gtid = {};        ///< of its own transaction, "uuid:7"; empty in a copy and before Vitess v23
  /// 0-based, among the changes of its table in its transaction: (keyspace, shard, gtid, table, n) names a change for
  /// good, however often it is delivered.
  std::uint64_t n = 0;
  std::optional<std::chrono::sys_seconds> committed_at = {};  ///< none in a copy
  /// The row before and after the change, one value for each of table->columns. Empty: there is no such image.
  std::span<const Value> before = {};
  std::span<const Value> after = {};

  /// A value by its column's name; null if there is no such image or column.
  const Value* before_of(std::string_view column) const { return find(before, column); }
  const Value* after_of(std::string_view column) const { return find(after, column); }
  /// The columns that an image does not hold, or not as a value. Each once.
  std::vector<std::string_view> partial() const;

 private:
  const Value* find(std::span<const Value> image, std::string_view column) const;
};

}  // namespace vstream
