#pragma once

#include <vector>

#include "encode/event_writer.h"
#include "encode/record.h"
#include "encode/row_images.h"
#include "encode/value.h"

namespace vstream {

/// Writes records. Keeps working memory from row to row; not synchronised.
class RecordWriter final : public EventWriter {
 public:
  explicit RecordWriter(PartialImages partial) : images_(partial) {}

  Result<void> row(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) override;
  void fields(Buffer& out, const Table& table) override;
  void begin(Buffer& out, const LineOrigin& origin) override;
  void commit(Buffer& out, const LineOrigin& origin, std::uint64_t rows) override;
  void ddl(Buffer& out, const LineOrigin& origin, std::string_view statement) override;
  void heartbeat(Buffer& out, std::int64_t timestamp) override;
  void copy_completed(Buffer& out, std::string_view keyspace, std::string_view shard) override;
  void copy_restarted(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view table) override;
  void skipped(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid) override;
  Result<void> reshard(Buffer& out, const Journal& journal, bool whole_shards) override;

 private:
  Result<void> write_image(Buffer& out, const Table& table, const std::vector<ImageCell>& cells, Phase phase);

  RowImages images_;
  ValueWriter values_;
};

}  // namespace vstream
