#include "simulator/load_rows.h"

#include <algorithm>
#include <string_view>

namespace vstream::simulator {
namespace {

constexpr std::int64_t kSmallNumbers = 100;  // what the narrow integer types hold

bool can_be_filled(query::Type type) {
  switch (type) {
    case query::CHAR:
    case query::VARCHAR:
    case query::TEXT:
    case query::BINARY:
    case query::VARBINARY:
    case query::BLOB: return true;
    default: return false;
  }
}

std::string value(query::Type type, std::int64_t number) {
  switch (type) {
    case query::INT8:
    case query::UINT8:
    case query::INT16:
    case query::UINT16: return std::to_string(number % kSmallNumbers);
    case query::INT24:
    case query::UINT24:
    case query::INT32:
    case query::UINT32:
    case query::INT64:
    case query::UINT64: return std::to_string(number);
    case query::FLOAT32:
    case query::FLOAT64: return "1.5E+00";
    case query::DECIMAL: return "1";
    case query::DATE: return "2026-01-01";
    case query::DATETIME:
    case query::TIMESTAMP: return "2026-01-01 00:00:00";
    case query::TIME: return "00:00:00";
    case query::YEAR: return "2026";
    case query::JSON: return "{}";
    case query::BIT: return "\x01";
    default: return "";
  }
}

}  // namespace

LoadRows::LoadRows(const TableSchema& table, std::size_t row_bytes)
    : table_(table), padded_(table.fields.size()), row_bytes_(row_bytes) {
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    if (can_be_filled(table.fields[i].type())) padded_ = i;
  }
}

query::Row LoadRows::row(std::int64_t number) const {
  query::Row out;
  std::size_t bytes = 0;
  for (const query::Field& field : table_.fields) bytes += value(field.type(), number).size();
  for (std::size_t i = 0; i < table_.fields.size(); ++i) {
    std::string text = value(table_.fields[i].type(), number);
    if (i == padded_ && bytes < row_bytes_) text.append(row_bytes_ - bytes, 'x');
    out.add_lengths(static_cast<std::int64_t>(text.size()));
    out.mutable_values()->append(text);
  }
  return out;
}

}  // namespace vstream::simulator
