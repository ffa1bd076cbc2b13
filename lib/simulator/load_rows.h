#pragma once

#include <cstdint>
#include <string>

#include "simulator/table_schema.h"

namespace vstream::simulator {

/// Makes rows for load: numbers count, the last text or binary column is filled up, all else is the same in each row.
class LoadRows {
 public:
  /// `row_bytes`: of the values of one row, at least, if there is a text or binary column.
  LoadRows(const TableSchema& table, std::size_t row_bytes);

  /// The row with that number, ≥ 1.
  query::Row row(std::int64_t number) const;

 private:
  const TableSchema& table_;
  std::size_t padded_;  ///< the column that is filled up; none: the number of columns
  std::size_t row_bytes_;
};

}  // namespace vstream::simulator
