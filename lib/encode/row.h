#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/buffer.h"
#include "encode/table.h"
#include "encode/value.h"
#include "vstream/tail.h"
#include "vtgate/response.h"

namespace vstream {

/// What a row line says besides its values.
struct RowContext {
  std::int64_t timestamp = 0;  ///< seconds; 0: a copied row
  std::string_view gtid = {};  ///< of its own transaction, may be empty
  std::uint64_t n = 0;         ///< its number among the changes of its table in its transaction
};

/// Writes rows as native `row` lines. Keeps working memory from row to row; not synchronised.
class RowWriter {
 public:
  explicit RowWriter(PartialImages partial) : partial_(partial) {}

  /// Appends one line with its line break. `table` is updated when the row shows that its shard leaves columns out.
  /// Errors, after which `out` ends where it did: kDecode (lengths that do not fit the columns, a value that is none
  /// of its type), kPartialImage.
  Result<void> write(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context);

 private:
  // What an image says about one of its columns.
  struct Cell {
    std::string_view bytes = {};
    bool present = false;
    bool null = false;
    bool json_diff = false;
  };

  Result<void> read_before(const Table& table, const RowChangeView& change);
  Result<void> read_after(Table& table, const RowChangeView& change);
  Result<void> read_cells(const Table& table, const RowView& row, const BitmapView* present, std::vector<Cell>& cells);
  Result<void> apply_json_diffs(const Table& table, const RowChangeView& change);
  Result<void> check_complete(const Table& table, const RowContext& context) const;
  Result<void> write_image(Buffer& out, const Table& table, const std::vector<Cell>& cells, Phase phase);
  void write_notes(Buffer& out, const Table& table) const;
  void write_names(Buffer& out, const Table& table, std::string_view key, std::uint8_t mark) const;
  void write_json_diffs(Buffer& out, const Table& table) const;
  void mark(std::size_t column, std::uint8_t bit) {
    marks_[column] |= bit;
    all_marks_ |= bit;
  }

  PartialImages partial_;
  ValueWriter values_;
  std::vector<Cell> before_;
  std::vector<Cell> after_;
  std::vector<std::uint8_t> marks_;  // per column
  std::uint8_t all_marks_ = 0;
  bool has_json_diffs_ = false;  // also empty ones, which say "unchanged"
};

}  // namespace vstream
