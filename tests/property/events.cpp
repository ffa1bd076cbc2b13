#include "events.h"

#include <fmt/format.h>

namespace vstream::property {

Event EventMaker::event(binlogdata::VEventType type, const Transaction* transaction) const {
  Event event;
  event.set_type(type);
  event.set_keyspace(history_.keyspace);
  event.set_shard(history_.shards[shard_].name);
  if (transaction != nullptr) {
    event.set_timestamp(transaction->time);
    event.set_event_gtid(transaction->gtid);
    event.set_statement(type == binlogdata::DDL ? transaction->statement : "");
  }
  return event;
}

Event EventMaker::field(std::size_t table, std::size_t columns, const Transaction* transaction) const {
  Event made = event(binlogdata::FIELD, transaction);
  binlogdata::FieldEvent& fields = *made.mutable_field_event();
  fields.set_table_name(history_.keyspace + "." + history_.tables[table].name);
  fields.set_keyspace(history_.keyspace);
  fields.set_shard(history_.shards[shard_].name);
  fields.set_enum_set_string_values(transaction == nullptr);
  for (std::size_t i = 0; i < columns; ++i) *fields.add_fields() = to_field(history_.tables[table].columns[i]);
  return made;
}

Event EventMaker::row(std::size_t table, const Transaction* transaction) const {
  Event made = event(binlogdata::ROW, transaction);
  binlogdata::RowEvent& rows = *made.mutable_row_event();
  rows.set_table_name(history_.keyspace + "." + history_.tables[table].name);
  rows.set_keyspace(history_.keyspace);
  rows.set_shard(history_.shards[shard_].name);
  return made;
}

Event EventMaker::vgtid(const binlogdata::VGtid& vgtid) const {
  Event made = event(binlogdata::VGTID, nullptr);
  *made.mutable_vgtid() = vgtid;
  return made;
}

void EventMaker::add_change(Event& row, const Change& change) {
  binlogdata::RowChange& made = *row.mutable_row_event()->add_row_changes();
  if (change.before) *made.mutable_before() = to_row(*change.before);
  if (change.after) *made.mutable_after() = to_row(*change.after);
}

query::Field to_field(const Column& column) {
  query::Field field;
  field.set_name(column.name);
  field.set_type(column.type);
  field.set_charset(column.charset);
  field.set_flags(column.flags);
  field.set_column_type(column.column_type);
  return field;
}

query::Row to_row(const Row& row) {
  query::Row made;
  for (const Cell& cell : row) {
    made.add_lengths(cell ? static_cast<std::int64_t>(cell->size()) : -1);
    if (cell) made.mutable_values()->append(*cell);
  }
  return made;
}

Event heartbeat() {
  Event event;
  event.set_type(binlogdata::HEARTBEAT);
  event.set_timestamp(1'700'000'000);
  return event;
}

std::string describe(const binlogdata::ShardGtid& entry) {
  std::string out = entry.shard() + "@" + entry.gtid();
  for (const binlogdata::TableLastPK& table : entry.table_p_ks()) {
    out += " [" + table.table_name();
    if (table.has_lastpk() && table.lastpk().rows().empty()) out += " from its beginning";
    for (const query::Row& row : table.lastpk().rows()) out += fmt::format(" after {:?}", row.values());
    out += "]";
  }
  return out;
}

std::string describe(const Event& event) {
  std::string out = event.shard() + " " + binlogdata::VEventType_Name(event.type());
  if (!event.event_gtid().empty()) out += " " + event.event_gtid();
  if (event.has_field_event()) {
    out += fmt::format(" {} ({} columns)", event.field_event().table_name(), event.field_event().fields_size());
  }
  if (event.has_row_event()) out += " " + event.row_event().table_name();
  for (const binlogdata::RowChange& change : event.row_event().row_changes()) {
    out += " " + (change.has_before() ? fmt::format("{:?}", change.before().values()) : "none") + "->" +
           (change.has_after() ? fmt::format("{:?}", change.after().values()) : "none");
  }
  for (const binlogdata::ShardGtid& entry : event.vgtid().shard_gtids()) {
    if (entry.shard() == event.shard()) out += " " + describe(entry);
  }
  return out + (event.statement().empty() ? "" : " " + event.statement());
}

}  // namespace vstream::property
