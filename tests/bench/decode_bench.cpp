// CPU time of one response on its way to JSON lines, beside protobuf's own decoder doing only the first part of it.
// Numbers to compare within one run, on one machine.
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <string_view>

#include "stream/assembler.h"
#include "vtgate.pb.h"
#include "vtgate/response.h"

namespace vstream {
namespace {

constexpr int kRowsPerTransaction = 500;
constexpr int kRepeats = 400;

void add_field(binlogdata::FieldEvent& fields, std::string name, query::Type type, std::string column_type,
               std::uint32_t charset, std::uint32_t flags = 0) {
  query::Field& field = *fields.add_fields();
  field.set_name(std::move(name));
  field.set_type(type);
  field.set_column_type(std::move(column_type));
  field.set_charset(charset);
  field.set_flags(flags);
}

binlogdata::VEvent& add_event(vtgate::VStreamResponse& response, binlogdata::VEventType type) {
  binlogdata::VEvent& event = *response.add_events();
  event.set_type(type);
  event.set_timestamp(1700000000);
  event.set_keyspace("shop");
  event.set_shard("-80");
  return event;
}

// What the server sends once: an order has ten columns of the common types.
std::string fields_response() {
  vtgate::VStreamResponse response;
  binlogdata::FieldEvent& fields = *add_event(response, binlogdata::FIELD).mutable_field_event();
  fields.set_table_name("shop.orders");
  fields.set_keyspace("shop");
  fields.set_shard("-80");
  add_field(fields, "id", query::INT64, "bigint", 63, 0x1);
  add_field(fields, "customer_id", query::INT64, "bigint", 63);
  add_field(fields, "status", query::VARCHAR, "varchar(20)", 255);
  add_field(fields, "total", query::DECIMAL, "decimal(12,2)", 63);
  add_field(fields, "currency", query::CHAR, "char(3)", 255);
  add_field(fields, "note", query::VARCHAR, "varchar(200)", 255);
  add_field(fields, "items", query::INT32, "int", 63);
  add_field(fields, "created_at", query::DATETIME, "datetime", 63);
  add_field(fields, "updated_at", query::TIMESTAMP, "timestamp", 63);
  add_field(fields, "token", query::VARBINARY, "varbinary(16)", 63);
  return response.SerializeAsString();
}

void add_value(query::Row& row, std::string_view value) {
  row.add_lengths(static_cast<std::int64_t>(value.size()));
  row.mutable_values()->append(value);
}

// One transaction of inserts.
std::string rows_response() {
  vtgate::VStreamResponse response;
  add_event(response, binlogdata::BEGIN);
  binlogdata::RowEvent& rows = *add_event(response, binlogdata::ROW).mutable_row_event();
  rows.set_table_name("shop.orders");
  rows.set_keyspace("shop");
  rows.set_shard("-80");
  for (int i = 0; i < kRowsPerTransaction; ++i) {
    query::Row& row = *rows.add_row_changes()->mutable_after();
    add_value(row, fmt::format("{}", 1000000 + i));
    add_value(row, fmt::format("{}", i * 7919 % 100000));
    add_value(row, i % 3 == 0 ? "paid" : "shipped");
    add_value(row, fmt::format("{}.{:02}", i * 31 % 5000, i % 100));
    add_value(row, "EUR");
    add_value(row, "leave it with the neighbours, \"the blue door\"");
    add_value(row, fmt::format("{}", i % 9));
    add_value(row, "2024-02-29 23:59:59");
    add_value(row, "2024-03-01 00:00:00");
    add_value(row, "0123456789abcdef");
  }
  binlogdata::ShardGtid& shard = *add_event(response, binlogdata::VGTID).mutable_vgtid()->add_shard_gtids();
  shard.set_keyspace("shop");
  shard.set_shard("-80");
  shard.set_gtid("MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5");
  add_event(response, binlogdata::COMMIT);
  return response.SerializeAsString();
}

// Runs `once` many times; prints the CPU time for a row. `once` returns a number, so that nothing is optimised away.
template <typename Once>
void measure(std::string_view what, std::size_t bytes, Once once) {
  std::uint64_t sum = once();
  const std::clock_t began = std::clock();
  for (int i = 0; i < kRepeats; ++i) sum += once();
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  fmt::print("{:<40} {:>7.3f} us/row {:>8.0f} MB/s   ({})\n", what, seconds * 1e6 / (kRepeats * kRowsPerTransaction),
             static_cast<double>(bytes) * kRepeats / seconds / 1e6, sum);
}

std::uint64_t decode_generated(std::string_view response) {
  vtgate::VStreamResponse message;
  message.ParseFromArray(response.data(), static_cast<int>(response.size()));
  return static_cast<std::uint64_t>(message.events(1).row_event().row_changes_size());
}

std::uint64_t decode_in_place(std::string_view response, RowChangeView& change) {
  std::uint64_t rows = 0;
  EventView event;
  for (ResponseReader events(response); events.next(event);) {
    if (event.type != EventType::kRow) continue;
    for (RowEventReader changes(event.row_event.view()); changes.next(change);) ++rows;
  }
  return rows;
}

void run() {
  const std::string response = rows_response();
  measure("protobuf's generated decoder", response.size(), [&] { return decode_generated(response); });

  RowChangeView change;
  measure("decoded in place", response.size(), [&] { return decode_in_place(response, change); });

  Assembler assembler({});
  const UnitHandler ignore = [](const Unit& unit) -> Result<bool> { return unit.kind == Unit::Kind::kTransaction; };
  if (!assembler.consume(fields_response(), ignore)) fmt::print("the fields were refused\n");
  measure("decoded, assembled, encoded as JSON", response.size(), [&] {
    std::uint64_t bytes = 0;
    const auto result = assembler.consume(response, [&](const Unit& unit) -> Result<bool> {
      bytes += unit.lines.size();
      return true;
    });
    if (!result) fmt::print("refused: {}\n", result.error().message);
    return bytes;
  });
}

}  // namespace
}  // namespace vstream

int main() { vstream::run(); }
