#include "stream/transaction_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace vstream {
namespace {

// "10GiB", as a user types it.
std::string size_text(std::uint64_t bytes) {
  std::size_t unit = 0;
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

}  // namespace

Result<void> TransactionMemory::keep_within_limits() {
  while (held_ > limits_.memory) {
    TransactionLines& largest = **std::ranges::max_element(users_, {}, &TransactionLines::held_);
    if (auto released = largest.release(); !released) return released;
  }
  return {};
}

void TransactionMemory::note_first_file() {
  if (std::exchange(noted_, true) || !log_ || !SpillFile::folder_is_memory()) return;
  log_(LogLevel::kWarning, fmt::format("large transactions go to \"{}\", which is kept in memory; set TMPDIR to a "
                                       "folder on a disk",
                                       SpillFile::folder()));
}

TransactionLines::TransactionLines(TransactionMemory& memory, std::string keyspace, std::string shard)
    : memory_(memory), keyspace_(std::move(keyspace)), shard_(std::move(shard)) {
  memory_.users_.push_back(this);
}

TransactionLines::~TransactionLines() {
  clear();
  last_ = Buffer();
  recount();
  std::erase(memory_.users_, this);
}

void TransactionLines::recount() {
  last_held_ = last_.capacity();
  std::size_t now = last_held_;
  for (const Buffer& piece : full_) now += piece.capacity();
  memory_.held_ += now - held_;
  held_ = now;
}

Result<void> TransactionLines::settle_grown() {
  if (last_.size() >= kFull) {
    if (file_) {
      if (auto spilled = spill(); !spilled) return spilled;
    } else {
      full_bytes_ += last_.size();
      full_.push_back(std::exchange(last_, Buffer()));
      (void)last_.room(kPieceBytes);
    }
  }
  recount();
  return memory_.keep_within_limits();
}

// Holds no memory any more.
Result<void> TransactionLines::release() {
  auto spilled = spill();
  last_.shrink(0);
  recount();
  return spilled;
}

Result<void> TransactionLines::spill() {
  const std::uint64_t more = full_bytes_ + last_.size();
  if (more == 0) return {};
  if (more > memory_.limits_.disk - std::min(memory_.spilled_, memory_.limits_.disk)) return too_large(more);
  if (!file_) {
    auto file = SpillFile::create();
    if (!file) return std::unexpected(named(std::move(file.error())));
    file_ = *std::move(file);
    memory_.note_first_file();
  }
  full_.push_back(std::move(last_));
  for (const Buffer& piece : full_) {
    if (auto added = file_->append(piece.view()); !added) return std::unexpected(named(std::move(added.error())));
    memory_.spilled_ += piece.size();
  }
  last_ = std::move(full_.back());  // its memory is used again
  last_.clear();
  full_.clear();
  full_bytes_ = 0;
  return {};
}

std::unexpected<Error> TransactionLines::too_large(std::uint64_t more) const {
  return std::unexpected(named(
      {.code = ErrorCode::kOutput,
       .message = fmt::format("unfinished transactions are larger than --max-transaction-disk {}",
                              size_text(memory_.limits_.disk)),
       .hint = fmt::format("this one has {} bytes of lines so far, and nothing of it was printed; give more room with "
                           "--max-transaction-disk",
                           more + (file_ ? file_->size() : 0))}));
}

Error TransactionLines::named(Error error) const {
  error.message += fmt::format(" (shard \"{}/{}\", GTID {})", keyspace_, shard_, gtid_.empty() ? "unknown" : gtid_);
  error.keyspace = keyspace_;
  error.shard = shard_;
  return error;
}

void TransactionLines::clear() {
  last_.clear();
  gtid_.clear();
  if (!file_ && full_.empty() && last_.capacity() <= kPieceBytes) return;
  if (file_) memory_.spilled_ -= std::min(file_->size(), memory_.spilled_);  // a failed write was not counted
  file_.reset();
  full_.clear();
  full_bytes_ = 0;
  last_.shrink(kPieceBytes);
  read_back_ = Buffer();
  recount();
}

Result<std::string_view> TransactionLines::read(Place& at) {
  if (file_ && at.in_file < file_->size()) return read_back(at.in_file);
  if (at.piece > full_.size()) return "";
  const std::size_t piece = at.piece++;
  return piece < full_.size() ? full_[piece].view() : last_.view();
}

Result<std::string_view> TransactionLines::read_back(std::uint64_t& offset) {
  const std::uint64_t rest = file_->size() - offset;
  // Larger and larger, until a whole line fits.
  for (std::size_t count = std::min<std::uint64_t>(rest, kPieceBytes);;
       count = std::min<std::uint64_t>(rest, count * 2)) {
    read_back_.clear();
    char* const to = read_back_.room(count);
    if (auto read = file_->read(offset, to, count); !read) return std::unexpected(named(std::move(read.error())));
    const std::size_t line_break = std::string_view(to, count).rfind('\n');
    if (line_break == std::string_view::npos && count < rest) continue;
    const std::size_t size = line_break == std::string_view::npos ? count : line_break + 1;
    offset += size;
    return std::string_view(to, size);
  }
}

}  // namespace vstream
