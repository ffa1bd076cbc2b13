#pragma once

#include <set>
#include <string>
#include <vector>

#include "encode/event_writer.h"
#include "encode/row_images.h"
#include "encode/value.h"
#include "vstream/log.h"

namespace vstream {

struct JsonWriterOptions {
  PartialImages partial = PartialImages::kStop;
  bool key = false;  ///< each row has a `key`: its primary key's columns
  LogHook log = {};  ///< is told of the first number of each column that readers may round; may be empty
};

/// Writes the native lines. Keeps working memory from row to row; not synchronised.
class JsonWriter final : public EventWriter {
 public:
  explicit JsonWriter(JsonWriterOptions options) : options_(std::move(options)), images_(options_.partial) {}

  Result<void> row(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) override;
  void fields(Buffer& out, const Table& table) override { append_fields_line(out, table); }
  void begin(Buffer& out, const LineOrigin& origin) override { append_begin_line(out, origin); }
  void commit(Buffer& out, const LineOrigin& origin, std::uint64_t rows) override {
    append_commit_line(out, origin, rows);
  }
  void ddl(Buffer& out, const LineOrigin& origin, std::string_view statement) override {
    append_ddl_line(out, origin, statement);
  }
  void heartbeat(Buffer& out, std::int64_t timestamp) override { append_heartbeat_line(out, timestamp); }
  void copy_completed(Buffer& out, std::string_view keyspace, std::string_view shard) override {
    append_copy_completed_line(out, keyspace, shard);
  }
  void copy_restarted(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view table) override {
    append_copy_restarted_line(out, keyspace, shard, table);
  }
  void skipped(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid) override {
    append_skipped_line(out, keyspace, shard, gtid);
  }
  Result<void> reshard(Buffer& out, const Journal& journal, bool whole_shards) override;
  void journal(Buffer& out, const LineOrigin& origin, const Journal& journal) override {
    append_journal_line(out, origin, journal);
  }
  void other(Buffer& out, const LineOrigin& origin) override { append_other_line(out, origin); }

 private:
  Result<void> write_image(Buffer& out, Table& table, const std::vector<ImageCell>& cells, Phase phase);
  Result<void> write_cell(Buffer& out, Table& table, std::size_t column, const ImageCell& cell, Phase phase);
  Result<void> write_key(Buffer& out, Table& table, const RowChangeView& change, Phase phase);
  void warn_of_rounding(Table& table, std::size_t column, std::string_view digits);
  void write_notes(Buffer& out, const Table& table);
  void write_names(Buffer& out, const Table& table, std::string_view key, ColumnMark mark);
  void write_json_diffs(Buffer& out, const Table& table);

  JsonWriterOptions options_;
  RowImages images_;
  ValueWriter values_;
  std::set<std::string, std::less<>> warned_of_;  // columns, on whatever shard
};

}  // namespace vstream
