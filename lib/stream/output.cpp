#include "stream/output.h"

#include <algorithm>

namespace vstream {
namespace {

// Large enough that a write costs little per row, small enough to stay in the processor's cache.
constexpr std::size_t kWriteAt = TransactionLines::kPieceBytes;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

// `lines` up to and including its row number `rows`, which is counted down.
std::string_view up_to_row(std::string_view lines, std::uint64_t& rows) {
  constexpr std::string_view kRowStart = R"({"type":"row")";
  std::size_t at = 0;
  while (rows > 0 && at < lines.size()) {
    if (lines.substr(at).starts_with(kRowStart)) --rows;
    at = std::min(lines.find('\n', at), lines.size() - 1) + 1;
  }
  return lines.substr(0, at);
}

// Gives the pieces to `take`, up to row number `cut_after` if there is one.
template <typename Take>
Result<void> for_each_piece(UnitLines& lines, std::optional<std::uint64_t> cut_after, Take take) {
  while (!cut_after || *cut_after > 0) {
    const auto piece = lines.next();
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) break;
    if (auto taken = take(cut_after ? up_to_row(*piece, *cut_after) : *piece); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<bool> Output::add(UnitLines lines, std::uint64_t rows) {
  const std::uint64_t wanted = budget_.take(rows);
  std::optional<std::uint64_t> cut_after;
  if (wanted < rows) cut_after = wanted;
  const auto taken = lines.size() <= kWriteAt ? gather(lines, cut_after) : write_through(lines, cut_after);
  if (!taken) return std::unexpected(taken.error());
  rows_ += wanted;
  return !cut_after;
}

Result<void> Output::gather(UnitLines lines, std::optional<std::uint64_t> cut_after) {
  const std::size_t before = pending_.size();
  const auto gathered = for_each_piece(lines, cut_after, [this](std::string_view piece) -> Result<void> {
    pending_.append(piece);
    return {};
  });
  if (!gathered) pending_.truncate(before);
  return !gathered || pending_.size() < kWriteAt ? gathered : flush();
}

Result<void> Output::write_through(UnitLines lines, std::optional<std::uint64_t> cut_after) {
  if (auto flushed = flush(); !flushed) return flushed;
  const auto written =
      for_each_piece(lines, cut_after, [this](std::string_view piece) { return sink_.write_part(piece); });
  if (!written) sink_.drop_parts();
  return written ? sink_.write("") : written;
}

Result<void> Output::add_whole(std::string_view lines, std::uint64_t rows) {
  budget_.take(rows);
  rows_ += rows;
  pending_.append(lines);
  return pending_.size() >= kWriteAt ? flush() : Result<void>();
}

Result<void> Output::flush() {
  if (pending_.empty()) return {};
  auto written = sink_.write(pending_.view());
  pending_.clear();
  pending_.shrink(kKeptBytes);
  return written;
}

}  // namespace vstream
