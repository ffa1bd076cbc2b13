#include "encode/row_images.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"

namespace vstream {
namespace {

std::size_t count_present(const BitmapView& bitmap, std::size_t columns) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < columns; ++i) count += bitmap.test(i) ? 1U : 0U;
  return count;
}

// The bitmaps are over the source's columns, of which nobody knows which these are.
std::unexpected<Error> unmappable(const Table& table, const RowContext& context) {
  return fail(ErrorCode::kPartialImage,
              fmt::format("a row of table \"{}\" on shard \"{}/{}\" does not hold all its columns (GTID {}), and which "
                          "ones cannot be told when only some are selected",
                          table.name, table.keyspace, table.shard, context.gtid.empty() ? "unknown" : context.gtid),
              "set binlog_row_image=FULL and clear binlog_row_value_options on the shard's primary, or leave --columns "
              "out");
}

}  // namespace

std::unexpected<Error> row_mismatch(const Table& table, std::string what) {
  return fail(ErrorCode::kDecode, fmt::format("cannot decode a row of table \"{}\": {}", table.name, what),
              "the row does not fit the columns that the server announced; nothing of its transaction was printed");
}

Result<void> RowImages::read_cells(const Table& table, const RowView& row, const BitmapView* present,
                                   std::vector<ImageCell>& cells) {
  const std::size_t columns = table.columns.size();
  const std::size_t lengths = row.lengths.size();
  // Real servers send a length for every column, -1 for an absent one; a compact row has one per present column.
  const bool compact = lengths != columns && present != nullptr && lengths == count_present(*present, columns);
  if (lengths != columns && !compact) {
    return row_mismatch(table, fmt::format("it has {} values for {} columns", lengths, columns));
  }
  cells.resize(columns);
  std::string_view rest = row.values;
  std::size_t next = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    ImageCell& cell = cells[i];
    cell = ImageCell{.present = present == nullptr || present->test(i)};
    if (compact && !cell.present) continue;
    const std::int64_t length = row.lengths[next++];
    cell.null = length < 0;
    if (cell.null) continue;
    if (static_cast<std::uint64_t>(length) > rest.size()) {
      return row_mismatch(table, fmt::format("the value of column \"{}\" is cut short", table.columns[i].name));
    }
    cell.bytes = rest.substr(0, static_cast<std::size_t>(length));
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  if (!rest.empty()) return row_mismatch(table, fmt::format("{} bytes are left over", rest.size()));
  return {};
}

Result<void> RowImages::read_after(Table& table, const RowChangeView& change) {
  if (change.data_columns.present && std::cmp_not_equal(change.data_columns.count, table.columns.size())) {
    return row_mismatch(table, fmt::format("its column bitmap is for {} columns, the table has {}",
                                           change.data_columns.count, table.columns.size()));
  }
  const BitmapView* const present = change.data_columns.present ? &change.data_columns : nullptr;
  if (auto read = read_cells(table, change.after, present, after_); !read) return read;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    if (after_[i].present) continue;
    marks_.add(i, kPartial);
    table.may_miss_columns = true;
  }
  return {};
}

Result<void> RowImages::read_before(const Table& table, const RowChangeView& change) {
  if (auto read = read_cells(table, change.before, nullptr, before_); !read) return read;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const Column& column = table.columns[i];
    if (!before_[i].null) continue;
    if (column.not_null || (table.may_miss_columns && column.omitted_by_noblob)) {
      before_[i].present = false;
      marks_.add(i, kPartial);
    }
  }
  return {};
}

// binlog_row_value_options=PARTIAL_JSON: bit k is the k-th JSON column; its value is a diff, an empty one: unchanged.
Result<void> RowImages::apply_json_diffs(const Table& table, const RowChangeView& change) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].is_json() || !change.json_partial_values.test(k++)) continue;
    has_json_diffs_ = true;
    ImageCell& cell = after_[i];
    if (!cell.present || cell.null) continue;
    if (!cell.bytes.empty()) {
      cell.json_diff = true;
      cell.present = false;
      marks_.add(i, kJsonDiff);
      if (!is_valid_utf8(cell.bytes)) marks_.add(i, kLossy);
    } else if (change.before.present && before_[i].present) {
      cell = before_[i];
    } else {
      cell.present = false;
      marks_.add(i, kPartial);
    }
  }
  if (std::cmp_not_equal(change.json_partial_values.count, k)) {
    return row_mismatch(table, fmt::format("its JSON bitmap is for {} columns, the table has {} JSON columns",
                                           change.json_partial_values.count, k));
  }
  return {};
}

Result<void> RowImages::check_complete(const Table& table, const RowContext& context) const {
  if (partial_ == PartialImages::kMark || ((marks_.all() & kPartial) == 0 && !has_json_diffs_)) return {};
  std::string names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (marks_.has(i, kPartial | kJsonDiff)) names += (names.empty() ? "\"" : ", \"") + table.columns[i].name + '"';
  }
  return fail(
      ErrorCode::kPartialImage,
      fmt::format("a row of table \"{}\" on shard \"{}/{}\" does not hold all its columns (GTID {}; missing: {})",
                  table.name, table.keyspace, table.shard, context.gtid.empty() ? "unknown" : context.gtid,
                  names.empty() ? "none yet, but PARTIAL_JSON is on" : names),
      "set binlog_row_image=FULL and clear binlog_row_value_options on the shard's primary, or go on with "
      "--partial-images mark, which leaves such columns out and names them");
}

Result<void> RowImages::read(Table& table, const RowChangeView& change, const RowContext& context) {
  marks_.reset(table.columns.size());
  has_json_diffs_ = false;
  if (!change.before.present && !change.after.present) return row_mismatch(table, "it has no image at all");
  if (table.is_projected && (change.data_columns.present || change.json_partial_values.present)) {
    return unmappable(table, context);
  }
  Result<void> done = {};
  if (change.after.present) done = read_after(table, change);
  if (done && change.before.present) done = read_before(table, change);
  if (done && change.after.present && change.json_partial_values.present) done = apply_json_diffs(table, change);
  return done ? check_complete(table, context) : done;
}

}  // namespace vstream
