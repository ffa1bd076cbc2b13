#pragma once

#include <cstdint>
#include <string_view>

#include "encode/buffer.h"
#include "encode/lines.h"
#include "encode/row_images.h"
#include "position/reshard.h"
#include "vtgate/response.h"

namespace vstream {

/// Gives events the form in which they leave: JSON lines (JsonWriter) or records for the library's own users
/// (RecordWriter). Each function appends one event to `out`; what it appends ends with a line break. What a form has no
/// place for is left out. Not synchronised.
class EventWriter {
 public:
  EventWriter() = default;
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;
  virtual ~EventWriter() = default;

  /// `table` is updated when the row shows that its shard leaves columns out. Errors, after which `out` ends where it
  /// did: those of RowImages::read, and kDecode for a value that is none of its type.
  virtual Result<void> row(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) = 0;
  virtual void fields(Buffer& out, const Table& table) = 0;
  virtual void begin(Buffer& out, const LineOrigin& origin) = 0;
  virtual void commit(Buffer& out, const LineOrigin& origin, std::uint64_t rows) = 0;
  virtual void ddl(Buffer& out, const LineOrigin& origin, std::string_view statement) = 0;
  virtual void heartbeat(Buffer& out, std::int64_t timestamp) = 0;
  virtual void copy_completed(Buffer& out, std::string_view keyspace, std::string_view shard) = 0;
  virtual void copy_restarted(Buffer& out, std::string_view keyspace, std::string_view shard,
                              std::string_view table) = 0;
  /// A transaction was stepped over. `gtid` is its own.
  virtual void skipped(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid) = 0;
  /// Errors: those of lineage().
  virtual Result<void> reshard(Buffer& out, const Journal& journal, bool whole_shards) = 0;
  virtual void journal(Buffer& /*out*/, const LineOrigin& /*origin*/, const Journal& /*journal*/) {}
  virtual void other(Buffer& /*out*/, const LineOrigin& /*origin*/) {}
};

}  // namespace vstream
