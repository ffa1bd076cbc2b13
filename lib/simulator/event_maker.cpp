#include "simulator/event_maker.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace vstream::simulator {
namespace {

// What MySQL's row events of ordinary statements carry (seen in every transcript).
constexpr std::uint32_t kRowFlags = 17;

bool same_statement(const binlogdata::RowChange& change, const Transaction::Image& image) {
  return change.has_before() != image.before.empty() && change.has_after() != image.after.empty();
}

}  // namespace

EventMaker::EventMaker(std::string keyspace, std::string shard, bool bare_names)
    : keyspace_(std::move(keyspace)), shard_(std::move(shard)), bare_names_(bare_names) {}

binlogdata::VEvent& EventMaker::add(vtgate::VStreamResponse& response, binlogdata::VEventType type) const {
  binlogdata::VEvent& event = *response.add_events();
  event.set_type(type);
  event.set_keyspace(keyspace_);
  event.set_shard(shard_);
  return event;
}

void EventMaker::add_vgtid(vtgate::VStreamResponse& response, const binlogdata::VGtid& vgtid) const {
  *add(response, binlogdata::VGTID).mutable_vgtid() = vgtid;
}

void EventMaker::add_copy_field(vtgate::VStreamResponse& response, const TableSchema& table) const {
  set_fields(add(response, binlogdata::FIELD), table).set_enum_set_string_values(true);
}

void EventMaker::add_copy_row(vtgate::VStreamResponse& response, const TableSchema& table, const Row& row) const {
  binlogdata::RowEvent& rows = *add(response, binlogdata::ROW).mutable_row_event();
  rows.set_table_name(name_of(table));
  rows.set_keyspace(keyspace_);
  rows.set_shard(shard_);
  *rows.add_row_changes()->mutable_after() = to_wire(row);
}

void EventMaker::add_field(vtgate::VStreamResponse& response, const TableSchema& table, const Transaction& transaction,
                           const Uuid& server) {
  binlogdata::VEvent& event = add(response, binlogdata::FIELD);
  stamp(event, transaction, server);
  set_fields(event, table).set_enum_set_string_values(table.has_enum);
  fields_sent_.insert(&table);
}

void EventMaker::stamp(binlogdata::VEvent& event, const Transaction& transaction, const Uuid& server) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  event.set_timestamp(transaction.time);
  event.set_current_time(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  event.set_commit_parent(transaction.number - 1);
  event.set_sequence_number(transaction.number);
  event.set_event_gtid(fmt::format("{}:{}", server.to_string(), transaction.number));
}

binlogdata::FieldEvent& EventMaker::set_fields(binlogdata::VEvent& event, const TableSchema& table) const {
  binlogdata::FieldEvent& field = *event.mutable_field_event();
  field.set_table_name(name_of(table));
  field.mutable_fields()->Assign(table.fields.begin(), table.fields.end());
  field.set_keyspace(keyspace_);
  field.set_shard(shard_);
  return field;
}

std::string EventMaker::name_of(const TableSchema& table) const {
  return bare_names_ ? table.name : fmt::format("{}.{}", keyspace_, table.name);
}

binlogdata::RowEvent* EventMaker::add_image(vtgate::VStreamResponse& response, const Transaction::Image& image,
                                            const Transaction& transaction, const Uuid& server,
                                            binlogdata::RowEvent* open) {
  if (!fields_sent_.contains(image.table)) {
    add_field(response, *image.table, transaction, server);
    open = nullptr;
  }
  std::string name = name_of(*image.table);
  if (open == nullptr || open->table_name() != name || !same_statement(open->row_changes(0), image)) {
    binlogdata::VEvent& event = add(response, binlogdata::ROW);
    stamp(event, transaction, server);
    open = event.mutable_row_event();
    open->set_table_name(name);
    open->set_keyspace(keyspace_);
    open->set_shard(shard_);
    open->set_flags(kRowFlags);
  }
  binlogdata::RowChange& change = *open->add_row_changes();
  if (!image.before.empty()) change.mutable_before()->ParseFromString(image.before);
  if (!image.after.empty()) change.mutable_after()->ParseFromString(image.after);
  return open;
}

}  // namespace vstream::simulator
