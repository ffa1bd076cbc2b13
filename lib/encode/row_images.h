#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encode/table.h"
#include "vstream/row.h"
#include "vstream/tail.h"
#include "vtgate/response.h"

namespace vstream {

/// What is known of a row change besides its values.
struct RowContext {
  std::int64_t timestamp = 0;  ///< seconds; 0: a copied row
  std::string_view gtid = {};  ///< of its own transaction, may be empty
  std::uint64_t n = 0;         ///< its number among the changes of its table in its transaction
};

/// What kind of change it is.
inline RowOp op_of(const RowChangeView& change, const RowContext& context) {
  if (!change.after.present) return RowOp::kDeleted;
  if (change.before.present) return RowOp::kUpdated;
  return context.timestamp == 0 ? RowOp::kCopied : RowOp::kCreated;
}

/// What must be said of columns of a row change; each column has a set of these bits.
enum ColumnMark : std::uint8_t { kBase64 = 1, kLossy = 2, kJsonNull = 4, kPartial = 8, kJsonDiff = 16 };

/// Which columns have which marks. One that applies to either image is there once.
class ColumnMarks {
 public:
  void reset(std::size_t columns) {
    if (all_ != 0 || of_column_.size() != columns) of_column_.assign(columns, 0);
    all_ = 0;
  }
  void add(std::size_t column, std::uint8_t mark) {
    of_column_[column] |= mark;
    all_ |= mark;
  }
  bool has(std::size_t column, unsigned marks) const { return (of_column_[column] & marks) != 0; }
  std::uint8_t all() const { return all_; }

 private:
  std::vector<std::uint8_t> of_column_;
  std::uint8_t all_ = 0;
};

/// What an image says about one of its columns.
struct ImageCell {
  std::string_view bytes = {};
  bool present = false;
  bool null = false;
  bool json_diff = false;  ///< `bytes` is no value, but what changed in one
};

/// The images of one row change, column by column: which values are there, which are NULL, which are missing. Keeps
/// working memory from row to row; not synchronised.
class RowImages {
 public:
  explicit RowImages(PartialImages partial) : partial_(partial) {}

  /// What it finds is valid as long as the change's bytes. `table` is updated when the row shows that its shard leaves
  /// columns out. Errors: kDecode (lengths that do not fit the columns), kPartialImage.
  Result<void> read(Table& table, const RowChangeView& change, const RowContext& context);

  /// One cell per column, if the change has that image.
  const std::vector<ImageCell>& before() const { return before_; }
  const std::vector<ImageCell>& after() const { return after_; }
  /// kPartial, kJsonDiff and the kLossy of a difference are set; a writer adds the others.
  ColumnMarks& marks() { return marks_; }

 private:
  Result<void> read_before(const Table& table, const RowChangeView& change);
  Result<void> read_after(Table& table, const RowChangeView& change);
  Result<void> read_cells(const Table& table, const RowView& row, const BitmapView* present,
                          std::vector<ImageCell>& cells);
  Result<void> apply_json_diffs(const Table& table, const RowChangeView& change);
  Result<void> check_complete(const Table& table, const RowContext& context) const;

  PartialImages partial_;
  std::vector<ImageCell> before_;
  std::vector<ImageCell> after_;
  ColumnMarks marks_;
  bool has_json_diffs_ = false;  // also empty ones, which say "unchanged"
};

/// The error for a row that does not fit its table.
std::unexpected<Error> row_mismatch(const Table& table, std::string what);

}  // namespace vstream
