#include "vtgate/response.h"

#include <google/protobuf/stubs/logging.h>

#include "binlogdata.pb.h"

namespace vstream {
namespace {

using wire::MergedMessage;
using wire::Reader;
using wire::tag;
using wire::WireType;

// Levels of messages that may still be opened inside each, counted from the response as protobuf does.
constexpr int kInEvent = wire::kMaxDepth - 1;
constexpr int kInEventPart = wire::kMaxDepth - 2;
constexpr int kInRowChange = wire::kMaxDepth - 3;
constexpr int kInRow = wire::kMaxDepth - 4;

constexpr std::uint32_t number(std::uint32_t field) { return tag(field, WireType::kVarint); }
constexpr std::uint32_t text(std::uint32_t field) { return tag(field, WireType::kBytes); }

bool is_valid_last_pk_event(std::string_view bytes) {
  const google::protobuf::LogSilencer errors_are_values;
  binlogdata::LastPKEvent event;
  return event.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void decode_event(Reader& event, EventView& out, std::deque<std::string>& joined) {
  while (event.next()) {
    switch (event.tag()) {
      case number(1): out.type = static_cast<EventType>(static_cast<std::int32_t>(event.varint())); break;
      case number(2): out.timestamp = static_cast<std::int64_t>(event.varint()); break;
      case text(4): out.statement = event.bytes(); break;  // as MySQL got it: may hold any bytes
      case text(5): out.row_event.add(event, joined); break;
      case text(6): out.field_event.add(event, joined); break;
      case text(7): out.vgtid.add(event, joined); break;
      case text(8): out.journal.add(event, joined); break;
      case number(20): out.current_time = static_cast<std::int64_t>(event.varint()); break;
      case text(21):  // last_p_k_event: VTGate keeps it to itself
        if (!is_valid_last_pk_event(event.bytes())) event.refuse();
        break;
      case text(22): out.keyspace = event.string(); break;
      case text(23): out.shard = event.string(); break;
      case text(28): out.event_gtid = event.string(); break;
      case text(3):   // gtid
      case text(9):   // dml
      case text(25):  // throttled_reason
        event.string();
        break;
      default: event.skip();
    }
  }
}

bool add_length(RowView& row, std::int64_t length) {
  if (row.lengths.size() >= kMaxColumns) return false;
  row.lengths.push_back(length);
  return true;
}

bool decode_row(std::string_view bytes, RowView& row) {
  Reader reader(bytes, kInRow);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): {  // packed, as proto3 writes it
        Reader lengths(reader.bytes(), 0);
        while (reader.ok() && lengths.ok() && !lengths.at_end()) {
          const std::int64_t length = lengths.zigzag();
          if (!lengths.ok() || !add_length(row, length)) reader.refuse();
        }
        break;
      }
      case number(1): {
        const std::int64_t length = reader.zigzag();
        if (reader.ok() && !add_length(row, length)) reader.refuse();
        break;
      }
      case text(2): row.values = reader.bytes(); break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool decode_bitmap(std::string_view bytes, BitmapView& bitmap) {
  Reader reader(bytes, kInRow);
  while (reader.next()) {
    switch (reader.tag()) {
      case number(1): bitmap.count = static_cast<std::int64_t>(reader.varint()); break;
      case text(2): bitmap.cols = reader.bytes(); break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool decode_row_change(std::string_view bytes, RowChangeView& change, std::deque<std::string>& joined) {
  MergedMessage before;
  MergedMessage after;
  MergedMessage data_columns;
  MergedMessage json_partial_values;
  Reader reader(bytes, kInRowChange);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): before.add(reader, joined); break;
      case text(2): after.add(reader, joined); break;
      case text(3): data_columns.add(reader, joined); break;
      case text(4): json_partial_values.add(reader, joined); break;
      default: reader.skip();
    }
  }
  change.before.present = before.present();
  change.after.present = after.present();
  change.data_columns.present = data_columns.present();
  change.json_partial_values.present = json_partial_values.present();
  return reader.ok() && decode_row(before.view(), change.before) && decode_row(after.view(), change.after) &&
         decode_bitmap(data_columns.view(), change.data_columns) &&
         decode_bitmap(json_partial_values.view(), change.json_partial_values);
}

void clear(RowView& row) {
  row.lengths.clear();
  row.values = {};
}

bool decode_field(std::string_view bytes, FieldView& field) {
  Reader reader(bytes, kInRowChange);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): field.name = reader.string(); break;
      case number(2): field.type = static_cast<std::int32_t>(reader.varint()); break;
      case number(8): field.charset = static_cast<std::uint32_t>(reader.varint()); break;
      case number(10): field.flags = static_cast<std::uint32_t>(reader.varint()); break;
      case text(11): field.column_type = reader.string(); break;
      case text(3):  // table
      case text(4):  // org_table
      case text(5):  // database
      case text(6):  // org_name
        reader.string();
        break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool decode_keyspace_shard(std::string_view bytes, KeyspaceShardView& out) {
  Reader reader(bytes, kInRowChange);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): out.keyspace = reader.string(); break;
      case text(2): out.shard = reader.string(); break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

}  // namespace

bool ResponseReader::next(EventView& event) {
  while (reader_.next()) {
    if (reader_.tag() != text(1)) {
      reader_.skip();
      continue;
    }
    event = EventView();
    joined_.clear();
    Reader fields(reader_.bytes(), kInEvent);
    if (!reader_.ok()) return false;
    decode_event(fields, event, joined_);
    if (!fields.ok()) reader_.refuse();
    return reader_.ok();
  }
  return false;
}

RowEventReader::RowEventReader(std::string_view row_event) : reader_(row_event, kInEventPart) {
  // keyspace and shard stand after the changes on the wire, so a first pass steps over these.
  Reader names(row_event, kInEventPart);
  while (names.next()) {
    switch (names.tag()) {
      case text(1): table_name_ = names.string(); break;
      case text(3): keyspace_ = names.string(); break;
      case text(4): shard_ = names.string(); break;
      case number(6): is_internal_table_ = names.varint() != 0; break;
      default: names.skip();
    }
  }
  if (!names.ok()) reader_.refuse();
}

bool RowEventReader::next(RowChangeView& change) {
  while (reader_.next()) {
    if (reader_.tag() != text(2)) {
      reader_.skip();
      continue;
    }
    clear(change.before);
    clear(change.after);
    change.data_columns = {};
    change.json_partial_values = {};
    joined_.clear();
    const std::string_view bytes = reader_.bytes();
    if (!reader_.ok() || !decode_row_change(bytes, change, joined_)) reader_.refuse();
    return reader_.ok();
  }
  return false;
}

bool decode_field_event(std::string_view bytes, FieldEventView& out) {
  out = FieldEventView();
  Reader reader(bytes, kInEventPart);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): out.table_name = reader.string(); break;
      case text(2):
        if (out.fields.size() >= kMaxColumns || !decode_field(reader.bytes(), out.fields.emplace_back())) {
          reader.refuse();
        }
        break;
      case text(3): out.keyspace = reader.string(); break;
      case text(4): out.shard = reader.string(); break;
      case number(25): out.enum_set_string_values = reader.varint() != 0; break;
      case number(26): out.is_internal_table = reader.varint() != 0; break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool decode_shard_gtid(std::string_view bytes, ShardGtidView& out) {
  out.keyspace = out.shard = out.gtid = {};
  out.table_p_ks.clear();
  Reader reader(bytes, kInRowChange);
  while (reader.next()) {
    switch (reader.tag()) {
      case text(1): out.keyspace = reader.string(); break;
      case text(2): out.shard = reader.string(); break;
      case text(3): out.gtid = reader.string(); break;
      case text(4):
        if (out.table_p_ks.size() >= kMaxListed) reader.refuse();
        out.table_p_ks.push_back(reader.bytes());
        break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool VgtidReader::next(ShardGtidView& shard) {
  while (reader_.next()) {
    if (reader_.tag() != text(1)) {
      reader_.skip();
      continue;
    }
    const std::string_view bytes = reader_.bytes();
    if (!reader_.ok() || !decode_shard_gtid(bytes, shard)) reader_.refuse();
    return reader_.ok();
  }
  return false;
}

bool decode_journal(std::string_view bytes, JournalView& out) {
  out = JournalView();
  Reader reader(bytes, kInEventPart);
  while (reader.next()) {
    switch (reader.tag()) {
      case number(1): out.id = static_cast<std::int64_t>(reader.varint()); break;
      case number(2): out.migration_type = static_cast<std::int32_t>(reader.varint()); break;
      case text(5):
        if (out.shard_gtids.size() >= kMaxListed ||
            !decode_shard_gtid(reader.bytes(), out.shard_gtids.emplace_back())) {
          reader.refuse();
        }
        break;
      case text(6):
        if (out.participants.size() >= kMaxListed ||
            !decode_keyspace_shard(reader.bytes(), out.participants.emplace_back())) {
          reader.refuse();
        }
        break;
      case text(3):  // tables
      case text(4):  // local_position
      case text(7):  // source_workflows
        reader.string();
        break;
      default: reader.skip();
    }
  }
  return reader.ok();
}

bool decode_table_last_pk(std::string_view bytes, std::string& table_name) {
  const google::protobuf::LogSilencer errors_are_values;
  binlogdata::TableLastPK entry;
  if (!entry.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  table_name = entry.table_name();
  return true;
}

}  // namespace vstream
