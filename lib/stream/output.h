#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "encode/buffer.h"
#include "stream/row_budget.h"
#include "stream/transaction_lines.h"
#include "vstream/sink.h"

namespace vstream {

/// Gathers whole units of lines on their way to the sink: large writes under load, at once when idle (the session calls
/// flush() before it waits). A large unit goes to the sink piece by piece and is never held as a whole. Counts rows,
/// and cuts exactly at the last wanted one. Not synchronised.
class Output {
 public:
  /// Both outlive it.
  Output(Sink& sink, RowBudget& budget) : sink_(sink), budget_(budget) {}

  /// Takes the lines of one finished unit, `rows` row lines among them. Past the last wanted row it takes only the
  /// lines up to that row, and returns false: the unit was cut. Errors: those of Sink::write, and kOutput for lines
  /// that cannot be read back; then nothing of the unit is left in a sink that can take lines back.
  Result<bool> add(UnitLines lines, std::uint64_t rows);
  /// The same for lines that must not be cut: a raw response, a line of our own.
  Result<void> add_whole(std::string_view lines, std::uint64_t rows);
  Result<void> flush();

  std::uint64_t rows() const { return rows_; }
  /// True when the last wanted row was taken.
  bool full() const { return budget_.spent(); }

 private:
  Result<void> gather(UnitLines lines, std::optional<std::uint64_t> cut_after);
  Result<void> write_through(UnitLines lines, std::optional<std::uint64_t> cut_after);

  Sink& sink_;
  RowBudget& budget_;
  std::uint64_t rows_ = 0;
  Buffer pending_;
};

}  // namespace vstream
