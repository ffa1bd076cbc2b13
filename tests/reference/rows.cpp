#include "rows.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "text.h"
#include "values.h"

namespace vstream::reference {
namespace {

constexpr unsigned kNotNull = 1;

enum class State { kAbsent, kNull, kBytes, kDifference };

struct Cell {
  State state = State::kAbsent;
  std::string bytes;
};

using Cells = std::vector<Cell>;
using Failure = std::unexpected<std::string>;

bool bit(const binlogdata::RowChange::Bitmap& map, std::size_t i) {
  const std::string& bytes = map.cols();
  return i / 8 < bytes.size() && (static_cast<unsigned char>(bytes[i / 8]) >> (i % 8) & 1) != 0;
}

/// The columns of a row; `present` says which of them the image has. A row may leave the lengths of the others out.
std::expected<Cells, std::string> split_row(const query::Row& row, const std::vector<bool>& present) {
  const auto lengths = static_cast<std::size_t>(row.lengths_size());
  const auto have = static_cast<std::size_t>(std::ranges::count(present, true));
  if (lengths != present.size() && lengths != have) {
    return Failure("a row has " + std::to_string(lengths) + " values for " + std::to_string(present.size()) +
                   " fields");
  }
  const bool compact = lengths != present.size();
  Cells cells(present.size());
  std::size_t next = 0;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (compact && !present[i]) continue;
    const std::int64_t length = row.lengths(static_cast<int>(next++));
    if (length < 0) {
      cells[i].state = State::kNull;
    } else {
      const auto size = static_cast<std::size_t>(length);
      if (size > row.values().size() - offset) return Failure("a row's lengths go beyond its values");
      cells[i] = {State::kBytes, row.values().substr(offset, size)};
      offset += size;
    }
    if (!present[i]) cells[i] = {};
  }
  if (offset != row.values().size()) return Failure("a row has more values than its lengths say");
  return cells;
}

bool is_left_out_by_noblob(const query::Field& field) {
  return field.type() == query::BLOB || field.type() == query::TEXT || field.type() == query::JSON ||
         field.type() == query::GEOMETRY;
}

/// A BEFORE image has no bitmap: some of its NULLs are columns that are not in it.
std::expected<Cells, std::string> read_before(const query::Row& row, const Table& table) {
  auto cells = split_row(row, std::vector<bool>(table.fields.size(), true));
  if (!cells) return cells;
  for (std::size_t i = 0; i < cells->size(); ++i) {
    const query::Field& field = table.fields[i];
    const bool doubtful = (field.flags() & kNotNull) != 0 || (table.had_partial_after && is_left_out_by_noblob(field));
    if ((*cells)[i].state == State::kNull && doubtful) (*cells)[i] = {};
  }
  return cells;
}

std::expected<std::vector<bool>, std::string> present_columns(const binlogdata::RowChange& change, const Table& table) {
  std::vector<bool> present(table.fields.size(), true);
  if (!change.has_data_columns()) return present;
  if (std::cmp_not_equal(change.data_columns().count(), present.size())) {
    return Failure("data_columns is about another number of columns");
  }
  for (std::size_t i = 0; i < present.size(); ++i) present[i] = bit(change.data_columns(), i);
  return present;
}

/// Marks the JSON columns that came as a difference; an empty one says that the column kept its value.
std::expected<bool, std::string> apply_differences(const binlogdata::RowChange& change, const Table& table,
                                                   const Cells& before, Cells& after) {
  if (!change.has_json_partial_values()) return false;
  bool any = false;
  std::size_t k = 0;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    if (table.fields[i].type() != query::JSON || !bit(change.json_partial_values(), k++)) continue;
    any = true;
    if (after[i].state != State::kBytes) continue;
    if (!after[i].bytes.empty()) {
      after[i].state = State::kDifference;
    } else {
      after[i] = before.empty() ? Cell{} : before[i];
    }
  }
  if (std::cmp_not_equal(change.json_partial_values().count(), k)) {
    return Failure("json_partial_values is about another number of JSON columns");
  }
  return any;
}

/// Collects the columns that a line's lists name.
struct Lists {
  explicit Lists(std::size_t columns)
      : base64(columns), lossy(columns), json_null(columns), partial(columns), differences(columns) {}

  std::vector<bool> base64, lossy, json_null, partial;
  std::vector<std::string> differences;  // as JSON strings; "" where there is none
};

std::expected<std::string, std::string> image(const Cells& cells, const Table& table, bool copied, Lists& lists) {
  std::string members;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const query::Field& field = table.fields[i];
    Value value{.json = "null"};
    if (cells[i].state == State::kAbsent) {
      lists.partial[i] = true;
      continue;
    }
    if (cells[i].state == State::kDifference) {
      const Text text = repair_utf8(cells[i].bytes);
      lists.differences[i] = json_string(text.utf8);
      if (text.lossy) lists.lossy[i] = true;
      continue;
    }
    if (cells[i].state == State::kBytes) {
      auto read = value_to_json(field, cells[i].bytes, copied);
      if (!read) return Failure(read.error());
      value = std::move(*read);
    }
    if (value.base64) lists.base64[i] = true;
    if (value.lossy) lists.lossy[i] = true;
    if (value.json_null) lists.json_null[i] = true;
    members += (members.empty() ? "" : ",") + json_string(field.name()) + ":" + value.json;
  }
  return "{" + members + "}";
}

std::string names_list(const char* key, const std::vector<bool>& named, const Table& table) {
  std::string names;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i]) names += (names.empty() ? "" : ",") + json_string(table.fields[i].name());
  }
  return names.empty() ? "" : ",\"" + std::string(key) + "\":[" + names + "]";
}

std::string print(const Lists& lists, const Table& table) {
  std::string differences;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    if (lists.differences[i].empty()) continue;
    differences += (differences.empty() ? "" : ",") + json_string(table.fields[i].name()) + ":" + lists.differences[i];
  }
  if (!differences.empty()) differences = ",\"json_diff\":{" + differences + "}";
  return names_list("base64", lists.base64, table) + names_list("lossy", lists.lossy, table) +
         names_list("json_null", lists.json_null, table) + names_list("partial", lists.partial, table) + differences;
}

}  // namespace

std::expected<Change, std::string> read_change(const binlogdata::RowChange& change, Table& table, bool copied) {
  if (!change.has_before() && !change.has_after()) return Failure("a row change has no image");
  Change result;
  Lists lists(table.fields.size());
  Cells before;
  Cells after;
  if (change.has_after()) {
    const auto present = present_columns(change, table);
    if (!present) return Failure(present.error());
    table.had_partial_after = table.had_partial_after || std::ranges::count(*present, false) > 0;
    auto cells = split_row(change.after(), *present);
    if (!cells) return Failure(cells.error());
    after = std::move(*cells);
  }
  if (change.has_before()) {
    auto cells = read_before(change.before(), table);
    if (!cells) return Failure(cells.error());
    before = std::move(*cells);
    auto text = image(before, table, copied, lists);
    if (!text) return Failure(text.error());
    result.before = std::move(*text);
  }
  if (change.has_after()) {
    const auto differs = apply_differences(change, table, before, after);
    if (!differs) return Failure(differs.error());
    result.partial = *differs;
    auto text = image(after, table, copied, lists);
    if (!text) return Failure(text.error());
    result.after = std::move(*text);
  }
  result.lists = print(lists, table);
  result.partial = result.partial || std::ranges::count(lists.partial, true) > 0;
  return result;
}

}  // namespace vstream::reference
