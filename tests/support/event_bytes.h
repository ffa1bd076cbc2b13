#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vtgate.pb.h"

/// Events as VTGate sends them, in few words: `Response().begin().row("t", {}, {"1"}).vgtid("g1").commit()`.
namespace vstream::testing {

using Cell = std::optional<std::string>;

struct ColumnSpec {
  std::string name;
  query::Type type = query::INT64;
  std::string column_type = "bigint";
  std::uint32_t charset = 63;
  std::uint32_t flags = 0;
};

class Response {
 public:
  explicit Response(std::string shard = "0") : shard_(std::move(shard)) {}

  Response& begin() { return add(binlogdata::BEGIN); }
  Response& commit() { return add(binlogdata::COMMIT); }
  Response& other() { return add(binlogdata::OTHER); }
  Response& rollback() { return add(binlogdata::ROLLBACK); }
  Response& ddl(const std::string& statement) {
    add(binlogdata::DDL);
    last().set_statement(statement);
    return *this;
  }
  Response& heartbeat() {
    last_event_ = response_.add_events();
    last().set_type(binlogdata::HEARTBEAT);
    last().set_timestamp(9);
    return *this;
  }
  Response& field(const std::string& table, std::initializer_list<ColumnSpec> columns, bool labels_as_text = true) {
    add(binlogdata::FIELD);
    binlogdata::FieldEvent& event = *last().mutable_field_event();
    event.set_table_name("ks." + table);
    event.set_keyspace("ks");
    event.set_shard(shard_);
    event.set_enum_set_string_values(labels_as_text);
    for (const ColumnSpec& column : columns) {
      query::Field& field = *event.add_fields();
      field.set_name(column.name);
      field.set_type(column.type);
      field.set_column_type(column.column_type);
      field.set_charset(column.charset);
      field.set_flags(column.flags);
    }
    return *this;
  }
  Response& row(const std::string& table, const std::vector<Cell>& before, const std::vector<Cell>& after) {
    add(binlogdata::ROW);
    binlogdata::RowEvent& event = *last().mutable_row_event();
    event.set_table_name("ks." + table);
    event.set_keyspace("ks");
    event.set_shard(shard_);
    change_ = event.add_row_changes();
    if (!before.empty()) fill(*change_->mutable_before(), before);
    if (!after.empty()) fill(*change_->mutable_after(), after);
    return *this;
  }
  Response& vgtid(const std::string& gtid, const std::vector<std::string>& unfinished = {}) {
    add(binlogdata::VGTID);
    binlogdata::ShardGtid& entry = *last().mutable_vgtid()->add_shard_gtids();
    entry.set_keyspace("ks");
    entry.set_shard(shard_);
    entry.set_gtid(gtid);
    for (const std::string& table : unfinished) entry.add_table_p_ks()->set_table_name(table);
    last().clear_timestamp();
    last().clear_event_gtid();
    return *this;
  }
  /// `entering`: the new shards and where they start.
  Response& journal(std::int64_t id, const std::vector<std::string>& participants,
                    const std::vector<std::pair<std::string, std::string>>& entering) {
    add(binlogdata::JOURNAL);
    binlogdata::Journal& journal = *last().mutable_journal();
    journal.set_id(id);
    journal.set_migration_type(binlogdata::SHARDS);
    for (const std::string& shard : participants) {
      binlogdata::KeyspaceShard& participant = *journal.add_participants();
      participant.set_keyspace("ks");
      participant.set_shard(shard);
    }
    for (const auto& [shard, gtid] : entering) {
      binlogdata::ShardGtid& entry = *journal.add_shard_gtids();
      entry.set_keyspace("ks");
      entry.set_shard(shard);
      entry.set_gtid(gtid);
    }
    return *this;
  }
  /// Everything that follows is of a copy: no times, no GTIDs.
  Response& copying() {
    copying_ = true;
    return *this;
  }

  binlogdata::VEvent& last() { return *last_event_; }
  binlogdata::RowChange& change() { return *change_; }
  std::string bytes() const { return response_.SerializeAsString(); }
  const vtgate::VStreamResponse& message() const { return response_; }

 private:
  Response& add(binlogdata::VEventType type) {
    last_event_ = response_.add_events();
    last().set_type(type);
    last().set_keyspace("ks");
    last().set_shard(shard_);
    if (!copying_) {
      last().set_timestamp(7);
      last().set_event_gtid("u:1");
    }
    return *this;
  }
  static void fill(query::Row& row, const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
      row.add_lengths(cell ? static_cast<std::int64_t>(cell->size()) : -1);
      if (cell) row.mutable_values()->append(*cell);
    }
  }

  std::string shard_;
  vtgate::VStreamResponse response_;
  binlogdata::VEvent* last_event_ = nullptr;
  binlogdata::RowChange* change_ = nullptr;
  bool copying_ = false;
};

}  // namespace vstream::testing
