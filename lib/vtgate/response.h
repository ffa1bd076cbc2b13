#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "vtgate/wire.h"

/// The zero-copy decoder of VStreamResponse: serialized bytes become views of them, one event, one row at a time,
/// without generated messages and without a list whose length the server decides. It accepts and refuses what
/// protobuf's own parser does (field numbers: proto/, the same as Vitess' proto/{vtgate,binlogdata,query}.proto), but
/// for two bounds that keep memory in proportion, kMaxColumns and kMaxListed, and for an event's statement, which need
/// not be UTF-8: MySQL logs what it was sent, and no stream should end over the text of a DDL.
///
/// All views point into the response's bytes, or into the `joined` store of the reader that gave them, and are valid as
/// long as both. Nothing here is synchronised.
namespace vstream {

/// MySQL's limit of columns in a table.
inline constexpr std::size_t kMaxColumns = 4096;
/// A bound of our own for shards in a journal and for tables in a position, far above what Vitess runs.
inline constexpr std::size_t kMaxListed = 65536;

/// Values of binlogdata.VEventType that mean something to us.
enum class EventType : std::int32_t {
  kBegin = 2,
  kCommit = 3,
  kRollback = 4,
  kDdl = 5,
  kInsert = 6,  ///< these four: a change that the binlog holds as a statement
  kReplace = 7,
  kUpdate = 8,
  kDelete = 9,
  kOther = 11,
  kRow = 12,
  kField = 13,
  kHeartbeat = 14,
  kVgtid = 15,
  kJournal = 16,
  kVersion = 17,
  kCopyCompleted = 20,
};

/// One binlogdata.VEvent. Sub-messages are still serialized; `present()` tells whether they were there.
struct EventView {
  EventType type = EventType{0};
  std::int64_t timestamp = 0;       ///< seconds; 0: none (copied rows)
  std::int64_t current_time = 0;    ///< nanoseconds, the tablet's clock
  std::string_view statement = {};  ///< any bytes
  std::string_view keyspace = {};
  std::string_view shard = {};
  std::string_view event_gtid = {};  ///< "uuid:7", from v23 on
  wire::MergedMessage row_event = {};
  wire::MergedMessage field_event = {};
  wire::MergedMessage vgtid = {};
  wire::MergedMessage journal = {};
};

/// One query.Row: `lengths` in field order (-1: NULL), `values` the bytes one after the other.
struct RowView {
  bool present = false;
  std::vector<std::int64_t> lengths = {};
  std::string_view values = {};
};

/// binlogdata.RowChange.Bitmap: bit i is byte i/8, mask 1 << i%8.
struct BitmapView {
  bool present = false;
  std::int64_t count = 0;
  std::string_view cols = {};

  bool test(std::size_t i) const {
    return i / 8 < cols.size() && (unsigned{static_cast<unsigned char>(cols[i / 8])} >> (i % 8) & 1U) != 0;
  }
};

/// One binlogdata.RowChange. Reused for row after row, so that its vectors are allocated once.
struct RowChangeView {
  RowView before = {};
  RowView after = {};
  BitmapView data_columns = {};
  BitmapView json_partial_values = {};
};

struct FieldView {
  std::string_view name = {};
  std::int32_t type = 0;      ///< query.Type
  std::uint32_t charset = 0;  ///< a MySQL collation id
  std::uint32_t flags = 0;    ///< MySQL's column flags
  std::string_view column_type = {};
};

struct FieldEventView {
  std::string_view table_name = {};
  std::string_view keyspace = {};
  std::string_view shard = {};
  bool enum_set_string_values = false;
  bool is_internal_table = false;
  std::vector<FieldView> fields = {};
};

/// One binlogdata.ShardGtid. `table_p_ks` holds each entry's serialized binlogdata.TableLastPK.
struct ShardGtidView {
  std::string_view keyspace = {};
  std::string_view shard = {};
  std::string_view gtid = {};
  std::vector<std::string_view> table_p_ks = {};
};

struct KeyspaceShardView {
  std::string_view keyspace = {};
  std::string_view shard = {};
};

struct JournalView {
  std::int64_t id = 0;
  std::int32_t migration_type = 0;  ///< 0 TABLES, 1 SHARDS
  std::vector<ShardGtidView> shard_gtids = {};
  std::vector<KeyspaceShardView> participants = {};
};

/// The events of one response, one after the other.
class ResponseReader {
 public:
  explicit ResponseReader(std::string_view response) : reader_(response) {}
  /// Reads the next event. False at the end, or when the bytes are malformed (then ok() is false).
  bool next(EventView& event);
  bool ok() const { return reader_.ok(); }

 private:
  wire::Reader reader_;
  std::deque<std::string> joined_ = {};
};

/// The changes of one RowEvent, one after the other. Table, keyspace and shard are known from the start.
class RowEventReader {
 public:
  explicit RowEventReader(std::string_view row_event);
  std::string_view table_name() const { return table_name_; }
  std::string_view keyspace() const { return keyspace_; }
  std::string_view shard() const { return shard_; }
  bool is_internal_table() const { return is_internal_table_; }
  /// Reads the next change into `change`, which may be reused. False at the end or on malformed bytes.
  bool next(RowChangeView& change);
  bool ok() const { return reader_.ok(); }

 private:
  wire::Reader reader_;
  std::deque<std::string> joined_ = {};
  std::string_view table_name_ = {};
  std::string_view keyspace_ = {};
  std::string_view shard_ = {};
  bool is_internal_table_ = false;
};

/// Each returns false on malformed bytes, or when a bound of the file's head is passed.
bool decode_field_event(std::string_view bytes, FieldEventView& out);
bool decode_shard_gtid(std::string_view bytes, ShardGtidView& out);
bool decode_journal(std::string_view bytes, JournalView& out);

/// The shards of a VGTID, one after the other.
class VgtidReader {
 public:
  explicit VgtidReader(std::string_view vgtid) : reader_(vgtid, wire::kMaxDepth - 2) {}
  bool next(ShardGtidView& shard);
  bool ok() const { return reader_.ok(); }

 private:
  wire::Reader reader_;
};

/// The bare table name in a serialized TableLastPK, which is checked as a whole. False on malformed bytes.
/// Not for the row path: it goes through the generated class.
bool decode_table_last_pk(std::string_view bytes, std::string& table_name);

}  // namespace vstream
