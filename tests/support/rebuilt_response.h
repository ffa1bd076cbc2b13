#pragma once

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>

#include <optional>
#include <string>
#include <string_view>

#include "vtgate.pb.h"
#include "vtgate/response.h"

// Compares the zero-copy decoder with protobuf's own: a response is decoded in place and put together again as a
// generated message, which must equal what protobuf makes of the same bytes.
namespace vstream::testing {

inline bool rebuild(const RowView& view, query::Row* row) {
  for (const std::int64_t length : view.lengths) row->add_lengths(length);
  row->set_values(std::string(view.values));
  return true;
}

inline void rebuild(const BitmapView& view, binlogdata::RowChange::Bitmap* bitmap) {
  bitmap->set_count(view.count);
  bitmap->set_cols(std::string(view.cols));
}

inline bool rebuild_row_event(std::string_view bytes, binlogdata::RowEvent* event) {
  RowEventReader reader(bytes);
  RowChangeView view;
  while (reader.next(view)) {
    binlogdata::RowChange* const change = event->add_row_changes();
    if (view.before.present) rebuild(view.before, change->mutable_before());
    if (view.after.present) rebuild(view.after, change->mutable_after());
    if (view.data_columns.present) rebuild(view.data_columns, change->mutable_data_columns());
    if (view.json_partial_values.present) rebuild(view.json_partial_values, change->mutable_json_partial_values());
  }
  event->set_table_name(std::string(reader.table_name()));
  event->set_keyspace(std::string(reader.keyspace()));
  event->set_shard(std::string(reader.shard()));
  event->set_is_internal_table(reader.is_internal_table());
  return reader.ok();
}

inline bool rebuild_field_event(std::string_view bytes, binlogdata::FieldEvent* event) {
  FieldEventView view;
  if (!decode_field_event(bytes, view)) return false;
  event->set_table_name(std::string(view.table_name));
  event->set_keyspace(std::string(view.keyspace));
  event->set_shard(std::string(view.shard));
  event->set_enum_set_string_values(view.enum_set_string_values);
  event->set_is_internal_table(view.is_internal_table);
  for (const FieldView& from : view.fields) {
    query::Field* const field = event->add_fields();
    field->set_name(std::string(from.name));
    field->set_type(static_cast<query::Type>(from.type));
    field->set_charset(from.charset);
    field->set_flags(from.flags);
    field->set_column_type(std::string(from.column_type));
  }
  return true;
}

inline bool rebuild(const ShardGtidView& view, binlogdata::ShardGtid* shard) {
  shard->set_keyspace(std::string(view.keyspace));
  shard->set_shard(std::string(view.shard));
  shard->set_gtid(std::string(view.gtid));
  for (const std::string_view bytes : view.table_p_ks) {
    std::string name;
    if (!decode_table_last_pk(bytes, name)) return false;
    shard->add_table_p_ks()->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }
  return true;
}

inline bool rebuild_vgtid(std::string_view bytes, binlogdata::VGtid* vgtid) {
  VgtidReader reader(bytes);
  ShardGtidView shard;
  while (reader.next(shard)) {
    if (!rebuild(shard, vgtid->add_shard_gtids())) return false;
  }
  return reader.ok();
}

inline bool rebuild_journal(std::string_view bytes, binlogdata::Journal* journal) {
  JournalView view;
  if (!decode_journal(bytes, view)) return false;
  journal->set_id(view.id);
  journal->set_migration_type(static_cast<binlogdata::MigrationType>(view.migration_type));
  for (const ShardGtidView& shard : view.shard_gtids) {
    if (!rebuild(shard, journal->add_shard_gtids())) return false;
  }
  for (const KeyspaceShardView& participant : view.participants) {
    binlogdata::KeyspaceShard* const to = journal->add_participants();
    to->set_keyspace(std::string(participant.keyspace));
    to->set_shard(std::string(participant.shard));
  }
  return true;
}

inline bool rebuild(const EventView& view, binlogdata::VEvent* event) {
  event->set_type(static_cast<binlogdata::VEventType>(view.type));
  event->set_timestamp(view.timestamp);
  event->set_current_time(view.current_time);
  if (!is_valid_utf8(view.statement)) return false;
  event->set_statement(std::string(view.statement));
  event->set_keyspace(std::string(view.keyspace));
  event->set_shard(std::string(view.shard));
  event->set_event_gtid(std::string(view.event_gtid));
  return (!view.row_event.present() || rebuild_row_event(view.row_event.view(), event->mutable_row_event())) &&
         (!view.field_event.present() || rebuild_field_event(view.field_event.view(), event->mutable_field_event())) &&
         (!view.vgtid.present() || rebuild_vgtid(view.vgtid.view(), event->mutable_vgtid())) &&
         (!view.journal.present() || rebuild_journal(view.journal.view(), event->mutable_journal()));
}

/// What our decoder makes of the bytes; nothing if it refuses any part of them.
inline std::optional<vtgate::VStreamResponse> rebuilt(std::string_view bytes) {
  vtgate::VStreamResponse response;
  ResponseReader reader(bytes);
  EventView event;
  while (reader.next(event)) {
    if (!rebuild(event, response.add_events())) return std::nullopt;
  }
  return reader.ok() ? std::optional(std::move(response)) : std::nullopt;
}

/// What protobuf makes of them, without what our views leave out.
inline std::optional<vtgate::VStreamResponse> parsed(std::string_view bytes) {
  const google::protobuf::LogSilencer refusals_are_expected;
  vtgate::VStreamResponse response;
  if (!response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  for (binlogdata::VEvent& event : *response.mutable_events()) {
    event.clear_gtid();
    event.clear_dml();
    event.clear_last_p_k_event();
    event.clear_throttled();
    event.clear_throttled_reason();
    event.clear_commit_parent();
    event.clear_sequence_number();
    if (event.has_row_event()) event.mutable_row_event()->clear_flags();
    if (event.has_journal()) {
      event.mutable_journal()->clear_tables();
      event.mutable_journal()->clear_local_position();
      event.mutable_journal()->clear_source_workflows();
    }
    if (!event.has_field_event()) continue;
    for (query::Field& field : *event.mutable_field_event()->mutable_fields()) {
      field.clear_table();
      field.clear_org_table();
      field.clear_database();
      field.clear_org_name();
      field.clear_column_length();
      field.clear_decimals();
    }
  }
  response.DiscardUnknownFields();
  return response;
}

/// The one thing that we take and protobuf does not: a statement of any bytes, as MySQL logged it.
inline bool holds_undecodable_statement(std::string_view bytes) {
  using wire::tag;
  using wire::WireType;
  for (wire::Reader events(bytes); events.next();) {
    if (events.tag() != tag(1, WireType::kBytes)) {
      events.skip();
      continue;
    }
    for (wire::Reader fields(events.bytes()); fields.next();) {
      if (fields.tag() != tag(4, WireType::kBytes)) {
        fields.skip();
      } else if (!is_valid_utf8(fields.bytes())) {
        return true;
      }
    }
  }
  return false;
}

/// Both refuse the bytes, or both make the same message of them.
inline bool decoders_agree(std::string_view bytes) {
  auto ours = rebuilt(bytes);
  const auto theirs = parsed(bytes);
  if (!theirs && holds_undecodable_statement(bytes)) return true;
  if (!ours || !theirs) return !ours && !theirs;
  ours->DiscardUnknownFields();
  return google::protobuf::util::MessageDifferencer::Equals(*ours, *theirs);
}

}  // namespace vstream::testing
