#include "vtgate/copy_cursor.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>

namespace vstream {
namespace {

bool is_usable(const binlogdata::TableLastPK& cursor) {
  if (!cursor.has_lastpk() || cursor.lastpk().fields().empty()) return false;
  return std::ranges::all_of(cursor.lastpk().rows(), [&](const query::Row& row) {
    std::uint64_t bytes = 0;
    for (const std::int64_t length : row.lengths())
      bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(length, 0));
    return row.lengths_size() == cursor.lastpk().fields_size() && bytes == row.values().size();
  });
}

}  // namespace

std::optional<binlogdata::TableLastPK> usable_cursor(const std::string& bytes) {
  const google::protobuf::LogSilencer errors_are_values;
  binlogdata::TableLastPK cursor;
  if (bytes.empty() || !cursor.ParseFromString(bytes) || !is_usable(cursor)) return std::nullopt;
  return cursor;
}

bool is_key_column(std::uint32_t flags) { return (flags & 2U) != 0; }

bool has_key(const binlogdata::TableLastPK& cursor) {
  return std::ranges::any_of(cursor.lastpk().fields(),
                             [](const query::Field& field) { return is_key_column(field.flags()); });
}

}  // namespace vstream
