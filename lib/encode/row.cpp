#include "encode/row.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/utf8.h"
#include "encode/json_string.h"
#include "encode/number.h"

namespace vstream {
namespace {

constexpr std::uint8_t kBase64 = 1;
constexpr std::uint8_t kLossy = 2;
constexpr std::uint8_t kJsonNull = 4;
constexpr std::uint8_t kPartial = 8;
constexpr std::uint8_t kJsonDiff = 16;

std::uint8_t mark_of(ValueNote note) {
  switch (note) {
    case ValueNote::kBase64: return kBase64;
    case ValueNote::kLossy: return kLossy;
    case ValueNote::kJsonNull: return kJsonNull;
    case ValueNote::kNone:
    case ValueNote::kInvalid: break;
  }
  return 0;
}

std::string_view head_of(const RowChangeView& change, const RowContext& context) {
  if (!change.after.present) return R"({"type":"row","op":"d")";
  if (change.before.present) return R"({"type":"row","op":"u")";
  return context.timestamp == 0 ? R"({"type":"row","op":"r")" : R"({"type":"row","op":"c")";
}

std::unexpected<Error> mismatch(const Table& table, std::string what) {
  return fail(ErrorCode::kDecode, fmt::format("cannot decode a row of table \"{}\": {}", table.name, what),
              "the row does not fit the columns that the server announced; nothing of its transaction was printed");
}

std::size_t count_present(const BitmapView& bitmap, std::size_t columns) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < columns; ++i) count += bitmap.test(i) ? 1U : 0U;
  return count;
}

}  // namespace

Result<void> RowWriter::read_cells(const Table& table, const RowView& row, const BitmapView* present,
                                   std::vector<Cell>& cells) {
  const std::size_t columns = table.columns.size();
  const std::size_t lengths = row.lengths.size();
  // Real servers send a length for every column, -1 for an absent one; a compact row has one per present column.
  const bool compact = lengths != columns && present != nullptr && lengths == count_present(*present, columns);
  if (lengths != columns && !compact) {
    return mismatch(table, fmt::format("it has {} values for {} columns", lengths, columns));
  }
  cells.resize(columns);
  std::string_view rest = row.values;
  std::size_t next = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    Cell& cell = cells[i];
    cell = Cell{.present = present == nullptr || present->test(i)};
    if (compact && !cell.present) continue;
    const std::int64_t length = row.lengths[next++];
    cell.null = length < 0;
    if (cell.null) continue;
    if (static_cast<std::uint64_t>(length) > rest.size()) {
      return mismatch(table, fmt::format("the value of column \"{}\" is cut short", table.columns[i].name));
    }
    cell.bytes = rest.substr(0, static_cast<std::size_t>(length));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  if (!rest.empty()) return mismatch(table, fmt::format("{} bytes are left over", rest.size()));
  return {};
}

Result<void> RowWriter::read_after(Table& table, const RowChangeView& change) {
  if (change.data_columns.present && std::cmp_not_equal(change.data_columns.count, table.columns.size())) {
    return mismatch(table, fmt::format("its column bitmap is for {} columns, the table has {}",
                                       change.data_columns.count, table.columns.size()));
  }
  const BitmapView* const present = change.data_columns.present ? &change.data_columns : nullptr;
  if (auto read = read_cells(table, change.after, present, after_); !read) return read;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    if (after_[i].present) continue;
    mark(i, kPartial);
    table.after_was_partial = true;
  }
  return {};
}

Result<void> RowWriter::read_before(const Table& table, const RowChangeView& change) {
  if (auto read = read_cells(table, change.before, nullptr, before_); !read) return read;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const Column& column = table.columns[i];
    if (!before_[i].null) continue;
    if (column.not_null || (table.after_was_partial && column.omitted_by_noblob)) {
      before_[i].present = false;
      mark(i, kPartial);
    }
  }
  return {};
}

// binlog_row_value_options=PARTIAL_JSON: bit k is the k-th JSON column; its value is a diff, an empty one: unchanged.
Result<void> RowWriter::apply_json_diffs(const Table& table, const RowChangeView& change) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].kind != ValueKind::kJson || !change.json_partial_values.test(k++)) continue;
    has_json_diffs_ = true;
    Cell& cell = after_[i];
    if (!cell.present || cell.null) continue;
    if (!cell.bytes.empty()) {
      cell.json_diff = true;
      cell.present = false;
      mark(i, kJsonDiff);
      if (!is_valid_utf8(cell.bytes)) mark(i, kLossy);
    } else if (change.before.present && before_[i].present) {
      cell = before_[i];
    } else {
      cell.present = false;
      mark(i, kPartial);
    }
  }
  if (std::cmp_not_equal(change.json_partial_values.count, k)) {
    return mismatch(table, fmt::format("its JSON bitmap is for {} columns, the table has {} JSON columns",
                                       change.json_partial_values.count, k));
  }
  return {};
}

Result<void> RowWriter::check_complete(const Table& table, const RowContext& context) const {
  if (partial_ == PartialImages::kMark || ((all_marks_ & kPartial) == 0 && !has_json_diffs_)) return {};
  std::string names;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if ((marks_[i] & (kPartial | kJsonDiff)) != 0)
      names += (names.empty() ? "\"" : ", \"") + table.columns[i].name + '"';
  }
  return fail(
      ErrorCode::kPartialImage,
      fmt::format("a row of table \"{}\" on shard \"{}/{}\" does not hold all its columns (GTID {}; missing: {})",
                  table.name, table.keyspace, table.shard, context.gtid.empty() ? "unknown" : context.gtid,
                  names.empty() ? "none yet, but PARTIAL_JSON is on" : names),
      "set binlog_row_image=FULL and clear binlog_row_value_options on the shard's primary, or go on with "
      "--partial-images mark, which leaves such columns out and names them");
}

Result<void> RowWriter::write_image(Buffer& out, const Table& table, const std::vector<Cell>& cells, Phase phase) {
  char separator = '{';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    if (!cell.present) continue;
    const Column& column = table.columns[i];
    out.push(separator);
    separator = ',';
    out.append(column.key);
    if (cell.null) {
      out.append("null");
      continue;
    }
    const ValueNote note = values_.write(out, column, cell.bytes, phase);
    if (note == ValueNote::kInvalid) {
      return mismatch(table, fmt::format("the value of column \"{}\" is not of its type", column.name));
    }
    if (note != ValueNote::kNone) mark(i, mark_of(note));
  }
  if (separator == '{') out.push('{');
  out.push('}');
  return {};
}

void RowWriter::write_names(Buffer& out, const Table& table, std::string_view key, std::uint8_t mark) const {
  if ((all_marks_ & mark) == 0) return;
  out.append(key);
  char separator = '[';
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if ((marks_[i] & mark) == 0) continue;
    out.push(separator);
    separator = ',';
    out.append(std::string_view(table.columns[i].key).substr(0, table.columns[i].key.size() - 1));
  }
  out.push(']');
}

void RowWriter::write_json_diffs(Buffer& out, const Table& table) const {
  out.append(R"(,"json_diff":)");
  char separator = '{';
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if ((marks_[i] & kJsonDiff) == 0) continue;
    out.push(separator);
    separator = ',';
    out.append(table.columns[i].key);
    append_text(out, after_[i].bytes, Charset::kUtf8);
  }
  out.push('}');
}

void RowWriter::write_notes(Buffer& out, const Table& table) const {
  write_names(out, table, R"(,"base64":)", kBase64);
  write_names(out, table, R"(,"lossy":)", kLossy);
  write_names(out, table, R"(,"json_null":)", kJsonNull);
  write_names(out, table, R"(,"partial":)", kPartial);
  if ((all_marks_ & kJsonDiff) != 0) write_json_diffs(out, table);
}

Result<void> RowWriter::write(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) {
  if (all_marks_ != 0 || marks_.size() != table.columns.size()) marks_.assign(table.columns.size(), 0);
  all_marks_ = 0;
  has_json_diffs_ = false;
  if (!change.before.present && !change.after.present) return mismatch(table, "it has no image at all");
  const std::size_t start = out.size();
  Result<void> done = {};
  if (change.after.present) done = read_after(table, change);
  if (done && change.before.present) done = read_before(table, change);
  if (done && change.after.present && change.json_partial_values.present) done = apply_json_diffs(table, change);
  if (done) done = check_complete(table, context);
  if (!done) return done;

  const Phase phase = context.timestamp == 0 ? Phase::kCopy : Phase::kBinlog;
  out.append(head_of(change, context));
  out.append(table.head);
  if (context.timestamp != 0) {
    out.append(R"(,"ts_ms":)");
    append_number(out, context.timestamp * 1000);
  }
  if (!context.gtid.empty()) {
    out.append(R"(,"gtid":)");
    append_json_string(out, context.gtid);
  }
  out.append(R"(,"n":)");
  append_number(out, static_cast<long long>(context.n));
  if (change.before.present) {
    out.append(R"(,"before":)");
    done = write_image(out, table, before_, phase);
  }
  if (done && change.after.present) {
    out.append(R"(,"after":)");
    done = write_image(out, table, after_, phase);
  }
  if (!done) {
    out.truncate(start);
    return done;
  }
  if (all_marks_ != 0) write_notes(out, table);
  out.append("}\n");
  return {};
}

}  // namespace vstream
