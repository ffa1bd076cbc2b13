#include "encode/record_writer.h"

#include <fmt/format.h>

#include <string_view>

namespace vstream {
namespace {

template <typename T>
std::string_view bytes_of(const T& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(T)};
}

template <typename T>
void put_number(Buffer& out, T number) {
  out.append(bytes_of(number));
}

void put_text(Buffer& out, std::string_view text) {
  put_number(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

// Returns where the record starts, for finish().
std::size_t start(Buffer& out, RecordKind kind, const LineOrigin& origin) {
  const std::size_t at = out.size();
  put_number(out, std::uint64_t{0});
  put_number(out, kind);
  put_text(out, origin.keyspace);
  put_text(out, origin.shard);
  put_number(out, origin.timestamp);
  put_text(out, origin.gtid);
  return at;
}

void finish(Buffer& out, std::size_t at) {
  out.push('\n');
  out.overwrite(at, bytes_of(std::uint64_t{out.size() - at - sizeof(std::uint64_t)}));
}

ValueType type_of(const Column& column) {
  switch (column.kind) {
    case ValueKind::kInteger:
    case ValueKind::kBigInteger:
    case ValueKind::kIntegerString:
    case ValueKind::kBit:
    case ValueKind::kBigBit:
    case ValueKind::kBitString: return ValueType::kInteger;
    case ValueKind::kDecimal:
    case ValueKind::kDecimalNumber: return ValueType::kDecimal;
    case ValueKind::kFloat:
    case ValueKind::kDouble: return ValueType::kFloat;
    case ValueKind::kDateTime: return ValueType::kDateTime;
    case ValueKind::kTimestamp: return ValueType::kTimestamp;
    case ValueKind::kText:
    case ValueKind::kLabels:
    case ValueKind::kLabelArray: return ValueType::kText;
    case ValueKind::kBase64:
    case ValueKind::kHex: return ValueType::kBytes;
    case ValueKind::kJson:
    case ValueKind::kJsonString: return ValueType::kJson;
    case ValueKind::kVector: return ValueType::kVector;
  }
  return ValueType::kText;
}

std::uint8_t state_byte(ValueState state, bool lossy) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(state) | (lossy ? 8U : 0U));
}

void put_state(Buffer& out, ValueState state) { put_number(out, state_byte(state, false)); }

}  // namespace

Result<void> RecordWriter::write_image(Buffer& out, const Table& table, const std::vector<ImageCell>& cells,
                                       Phase phase) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ImageCell& cell = cells[i];
    if (!cell.json_diff && (!cell.present || cell.null)) {
      put_state(out, cell.present ? ValueState::kNull : ValueState::kAbsent);
      continue;
    }
    const ValueState state = cell.json_diff ? ValueState::kJsonDiff : ValueState::kValue;
    const std::size_t at = out.size();
    put_state(out, state);
    put_number(out, std::uint32_t{0});
    const std::size_t text = out.size();
    bool lossy = false;
    if (cell.json_diff) {
      lossy = append_plain_text(out, cell.bytes, Charset::kUtf8) == TextFidelity::kLossy;
    } else {
      const ValueNote note = values_.write_plain(out, table.columns[i], cell.bytes, phase);
      if (note == ValueNote::kInvalid) {
        return row_mismatch(table, fmt::format("the value of column \"{}\" is not of its type", table.columns[i].name));
      }
      lossy = note == ValueNote::kLossy;
    }
    out.overwrite(text - sizeof(std::uint32_t), bytes_of(static_cast<std::uint32_t>(out.size() - text)));
    if (lossy) out.overwrite(at, bytes_of(state_byte(state, true)));
  }
  return {};
}

Result<void> RecordWriter::row(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) {
  auto done = images_.read(table, change, context);
  if (!done) return done;
  const std::size_t at =
      start(out, RecordKind::kRow,
            {.keyspace = table.keyspace, .shard = table.shard, .timestamp = context.timestamp, .gtid = context.gtid});
  put_text(out, table.name);
  put_number(out, context.n);
  put_number(out, op_of(change, context));
  put_number(out, static_cast<std::uint32_t>(table.columns.size()));
  put_number(out, static_cast<std::uint8_t>((change.before.present ? 1 : 0) + (change.after.present ? 2 : 0)));
  const Phase phase = context.timestamp == 0 ? Phase::kCopy : Phase::kBinlog;
  if (change.before.present) done = write_image(out, table, images_.before(), phase);
  if (done && change.after.present) done = write_image(out, table, images_.after(), phase);
  if (!done) {
    out.truncate(at);
    return done;
  }
  finish(out, at);
  return {};
}

void RecordWriter::fields(Buffer& out, const Table& table) {
  const std::size_t at = start(out, RecordKind::kFields, {.keyspace = table.keyspace, .shard = table.shard});
  put_text(out, table.name);
  put_number(out, static_cast<std::uint32_t>(table.columns.size()));
  for (const Column& column : table.columns) {
    put_text(out, column.name);
    put_number(out, type_of(column));
    put_text(out, column.column_type);
    put_number(out, static_cast<std::uint8_t>(column.primary_key ? 1 : 0));
  }
  finish(out, at);
}

void RecordWriter::begin(Buffer& out, const LineOrigin& origin) { finish(out, start(out, RecordKind::kBegin, origin)); }

void RecordWriter::commit(Buffer& out, const LineOrigin& origin, std::uint64_t rows) {
  const std::size_t at = start(out, RecordKind::kCommit, origin);
  put_number(out, rows);
  finish(out, at);
}

void RecordWriter::ddl(Buffer& out, const LineOrigin& origin, std::string_view statement) {
  const std::size_t at = start(out, RecordKind::kDdl, origin);
  put_text(out, statement);
  finish(out, at);
}

void RecordWriter::heartbeat(Buffer& out, std::int64_t timestamp) {
  finish(out, start(out, RecordKind::kHeartbeat, {.timestamp = timestamp}));
}

void RecordWriter::copy_completed(Buffer& out, std::string_view keyspace, std::string_view shard) {
  finish(out, start(out, RecordKind::kCopyCompleted, {.keyspace = keyspace, .shard = shard}));
}

void RecordWriter::copy_restarted(Buffer& out, std::string_view keyspace, std::string_view shard,
                                  std::string_view table) {
  const std::size_t at = start(out, RecordKind::kCopyRestarted, {.keyspace = keyspace, .shard = shard});
  put_text(out, table);
  finish(out, at);
}

void RecordWriter::skipped(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid) {
  finish(out, start(out, RecordKind::kSkipped, {.keyspace = keyspace, .shard = shard, .gtid = gtid}));
}

Result<void> RecordWriter::reshard(Buffer& out, const Journal& journal, bool /*whole_shards*/) {
  const std::string_view keyspace =
      journal.participants.empty() ? std::string_view() : std::string_view(journal.participants.front().keyspace);
  const std::size_t at = start(out, RecordKind::kReshard, {.keyspace = keyspace});
  put_number(out, static_cast<std::uint64_t>(journal.id));
  put_number(out, static_cast<std::uint32_t>(journal.participants.size()));
  for (const Participant& participant : journal.participants) put_text(out, participant.shard);
  put_number(out, static_cast<std::uint32_t>(journal.shards.size()));
  for (const ShardPosition& shard : journal.shards) {
    put_text(out, shard.keyspace);
    put_text(out, shard.shard);
    put_text(out, shard.gtid);
  }
  finish(out, at);
  return {};
}

}  // namespace vstream
