#include "stream/output.h"

#include <algorithm>

namespace vstream {
namespace {

// Large enough that a write costs little per row, small enough to stay in the processor's cache.
constexpr std::size_t kWriteAt = std::size_t{256} << 10U;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

// `lines` up to and including its row number `rows`.
std::string_view up_to_row(std::string_view lines, std::uint64_t rows) {
  constexpr std::string_view kRowStart = R"({"type":"row")";
  std::size_t at = 0;
  while (rows > 0 && at < lines.size()) {
    if (lines.substr(at).starts_with(kRowStart)) --rows;
    at = std::min(lines.find('\n', at), lines.size() - 1) + 1;
  }
  return lines.substr(0, at);
}

}  // namespace

Result<bool> Output::add(std::string_view lines, std::uint64_t rows) {
  const bool cut = max_rows_ && rows_ + rows > *max_rows_;
  if (cut) {
    rows = *max_rows_ - rows_;
    lines = up_to_row(lines, rows);
  }
  rows_ += rows;
  pending_.append(lines);
  if (pending_.size() >= kWriteAt) {
    if (auto flushed = flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  }
  return !cut;
}

Result<void> Output::add_whole(std::string_view lines, std::uint64_t rows) {
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
