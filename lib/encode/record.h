#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/lines.h"
#include "vstream/row.h"

/// The records in which the library's own streams keep events until they are delivered, in memory or in a file of this
/// process. Numbers in the machine's byte order:
///
///     u64 size of what follows, u8 kind, origin (keyspace, shard, i64 timestamp, gtid), then by kind, line break
///
///     row             table, u64 n, u8 op, u32 columns, u8 images (1: before, 2: after), their cells
///     fields          table, u32 columns, for each: name, u8 type, column_type, u8 primary key
///     ddl             statement
///     commit          u64 rows
///     copy_restarted  table
///     reshard         u64 id, u32 participants, for each: shard; u32 shards, for each: keyspace, shard, gtid
///
/// A text is u32 length and bytes. A cell is u8 state (8: lossy) and, if it has one, its text. The line break lets
/// large transactions be read back in pieces that end at one: a piece may end inside a record, but never much later
/// than it.
namespace vstream {

enum class RecordKind : std::uint8_t {
  kRow,
  kFields,
  kBegin,
  kCommit,
  kDdl,
  kHeartbeat,
  kCopyCompleted,
  kCopyRestarted,
  kReshard,
  kSkipped
};

/// One record, or the beginning of it that all kinds have. Views of its bytes.
struct Record {
  RecordKind kind = RecordKind::kHeartbeat;
  LineOrigin origin = {};
  std::string_view table = {};  ///< of those that have one
  std::string_view body = {};   ///< what follows
  std::string_view bytes = {};  ///< all of it
};

/// Records, one after the other.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : rest_(bytes) {}
  /// False when what is left is not a whole record, or is none (then ok() is false).
  bool next(Record& record);
  bool ok() const { return ok_; }
  /// What was not read.
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

/// The body of a row. `values` gets one value for each column and image, before first.
struct RowRecord {
  std::uint64_t n = 0;
  RowOp op = RowOp::kCreated;
  std::size_t columns = 0;
  bool has_before = false;
  bool has_after = false;
};

/// Each returns false when the body is none of that kind. `table` says the columns' types.
bool read_row(const Record& record, const TableInfo& table, RowRecord& row, std::vector<Value>& values);
bool read_fields(const Record& record, TableInfo& table);
bool read_text(const Record& record, std::string_view& text);
bool read_number(const Record& record, std::uint64_t& number);
bool read_reshard(const Record& record, Journal& journal);

}  // namespace vstream
