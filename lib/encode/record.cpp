#include "encode/record.h"

#include <cstring>
#include <string>

namespace vstream {
namespace {

// Reads values one after the other. Past the end there are zeros and empty texts, and ok() is false.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

Value read_cell(Fields& fields, ValueType type) {
  const auto state = fields.number<std::uint8_t>();
  Value value{.state = static_cast<ValueState>(state & 7U), .type = type, .lossy = (state & 8U) != 0};
  if (value.state == ValueState::kValue || value.state == ValueState::kJsonDiff) value.text = fields.text();
  return value;
}

bool has_table(RecordKind kind) {
  return kind == RecordKind::kRow || kind == RecordKind::kFields || kind == RecordKind::kCopyRestarted;
}

}  // namespace

bool RecordReader::next(Record& record) {
  std::uint64_t size = 0;
  if (rest_.size() < sizeof(size)) return false;
  std::memcpy(&size, rest_.data(), sizeof(size));
  if (size > rest_.size() - sizeof(size)) return false;
  record.bytes = rest_.substr(0, sizeof(size) + size);
  Fields fields(record.bytes.substr(sizeof(size)));
  record.kind = static_cast<RecordKind>(fields.number<std::uint8_t>());
  record.origin.keyspace = fields.text();
  record.origin.shard = fields.text();
  record.origin.timestamp = fields.number<std::int64_t>();
  record.origin.gtid = fields.text();
  record.table = has_table(record.kind) ? fields.text() : std::string_view();
  record.body = fields.rest();
  ok_ = fields.ok() && record.body.ends_with('\n');
  if (!ok_) return false;
  record.body.remove_suffix(1);
  rest_.remove_prefix(record.bytes.size());
  return true;
}

bool read_row(const Record& record, const TableInfo& table, RowRecord& row, std::vector<Value>& values) {
  Fields fields(record.body);
  row.n = fields.number<std::uint64_t>();
  row.op = static_cast<RowOp>(fields.number<std::uint8_t>());
  row.columns = fields.number<std::uint32_t>();
  const auto images = fields.number<std::uint8_t>();
  row.has_before = (images & 1U) != 0;
  row.has_after = (images & 2U) != 0;
  if (!fields.ok() || row.columns != table.columns.size()) return false;
  for (const bool there : {row.has_before, row.has_after}) {
    if (!there) continue;
    for (const ColumnInfo& column : table.columns) values.push_back(read_cell(fields, column.type));
  }
  return fields.at_end();
}

bool read_fields(const Record& record, TableInfo& table) {
  table = {.keyspace = std::string(record.origin.keyspace),
           .shard = std::string(record.origin.shard),
           .name = std::string(record.table),
           .columns = {}};
  Fields fields(record.body);
  for (auto count = fields.number<std::uint32_t>(); count > 0 && fields.ok(); --count) {
    ColumnInfo& column = table.columns.emplace_back();
    column.name = fields.text();
    column.type = static_cast<ValueType>(fields.number<std::uint8_t>());
    column.column_type = fields.text();
    column.primary_key = fields.number<std::uint8_t>() != 0;
  }
  return fields.at_end();
}

bool read_text(const Record& record, std::string_view& text) {
  Fields fields(record.body);
  text = fields.text();
  return fields.at_end();
}

bool read_number(const Record& record, std::uint64_t& number) {
  Fields fields(record.body);
  number = fields.number<std::uint64_t>();
  return fields.at_end();
}

bool read_reshard(const Record& record, Journal& journal) {
  Fields fields(record.body);
  journal.id = static_cast<std::int64_t>(fields.number<std::uint64_t>());
  const std::string keyspace(record.origin.keyspace);
  for (auto count = fields.number<std::uint32_t>(); count > 0 && fields.ok(); --count) {
    journal.participants.push_back({.keyspace = keyspace, .shard = std::string(fields.text())});
  }
  for (auto count = fields.number<std::uint32_t>(); count > 0 && fields.ok(); --count) {
    ShardPosition& shard = journal.shards.emplace_back();
    shard.keyspace = fields.text();
    shard.shard = fields.text();
    shard.gtid = fields.text();
  }
  return fields.at_end();
}

}  // namespace vstream
