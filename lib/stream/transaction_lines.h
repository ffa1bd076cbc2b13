#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encode/buffer.h"
#include "stream/spill_file.h"
#include "vstream/error.h"
#include "vstream/log.h"

namespace vstream {

class TransactionLines;

struct TransactionLimits {
  std::size_t memory = std::size_t{64} << 20U;    ///< bytes
  std::uint64_t disk = std::uint64_t{10} << 30U;  ///< bytes in temporary files
};

/// What the lines of all unfinished transactions share: so much memory, and then so much disk. When memory is short,
/// the transaction that holds most of it goes to a file. Outlives the TransactionLines that use it. Not synchronised.
class TransactionMemory {
 public:
  /// `log` is told once if the files are kept in memory; it may be empty.
  explicit TransactionMemory(TransactionLimits limits = {}, LogHook log = {}) : limits_(limits), log_(std::move(log)) {}
  TransactionMemory(const TransactionMemory&) = delete;
  TransactionMemory& operator=(const TransactionMemory&) = delete;

  /// Bytes held in memory, and written to files, by now.
  std::size_t held() const { return held_; }
  std::uint64_t spilled() const { return spilled_; }

 private:
  friend class TransactionLines;
  Result<void> keep_within_limits();
  void note_first_file();

  TransactionLimits limits_;
  LogHook log_;
  std::vector<TransactionLines*> users_;
  std::size_t held_ = 0;
  std::uint64_t spilled_ = 0;
  bool noted_ = false;
};

/// The lines of one shard's unfinished transaction: appended one after the other, read once in pieces or thrown away.
/// While they are few they are one run of bytes in memory, and cost nothing more. Not synchronised.
class TransactionLines {
 public:
  /// About the size of a piece; one with a longer line is larger.
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10U;
  /// A place to read from; a new one is the beginning.
  struct Place {
    std::uint64_t in_file = 0;
    std::size_t piece = 0;
  };

  /// The names are for errors.
  TransactionLines(TransactionMemory& memory, std::string keyspace, std::string shard);
  ~TransactionLines();
  TransactionLines(const TransactionLines&) = delete;
  TransactionLines& operator=(const TransactionLines&) = delete;

  /// Names the transaction that begins, for errors.
  void set_gtid(std::string_view gtid) { gtid_ = gtid; }
  /// The place for the next line. Call settle() when it is whole.
  Buffer& buffer() { return last_; }
  /// Keeps memory within the limits. Errors: kOutput, naming the shard and its transaction; nothing can be appended
  /// any more then.
  Result<void> settle() {
    return last_.size() < kFull && last_.capacity() == last_held_ ? Result<void>() : settle_grown();
  }
  std::uint64_t size() const { return (file_ ? file_->size() : 0) + full_bytes_ + last_.size(); }
  /// Throws the lines away, and gives memory and disk back.
  void clear();

  /// The next piece: whole lines; empty at the end. Valid until the next call. Errors: kOutput.
  Result<std::string_view> read(Place& at);

 private:
  friend class TransactionMemory;
  // A little less than a piece, so that one more ordinary line does not need more memory.
  static constexpr std::size_t kFull = kPieceBytes - kPieceBytes / 8;

  Result<void> settle_grown();
  Result<void> release();
  Result<void> spill();
  Result<std::string_view> read_back(std::uint64_t& offset);
  std::unexpected<Error> too_large(std::uint64_t more) const;
  Error named(Error error) const;
  void recount();

  TransactionMemory& memory_;
  std::string keyspace_;
  std::string shard_;
  std::string gtid_;
  std::optional<SpillFile> file_;  // what came first; no piece is in full_ then
  std::vector<Buffer> full_;
  std::uint64_t full_bytes_ = 0;
  Buffer last_;
  Buffer read_back_;
  // What memory_ counts.
  std::size_t held_ = 0;
  std::size_t last_held_ = 0;
};

/// The lines of something finished, to be read piece by piece: whole lines each. A copy reads from where the original
/// stands. Valid as long as what it reads from.
class UnitLines {
 public:
  UnitLines() = default;
  UnitLines(std::string_view text) : text_(text) {}  // NOLINT(google-explicit-constructor): the same in one piece
  explicit UnitLines(TransactionLines& lines) : source_(&lines) {}

  /// Bytes in all.
  std::uint64_t size() const { return source_ != nullptr ? source_->size() : text_.size(); }
  bool empty() const { return size() == 0; }
  /// The next piece; empty at the end. Valid until the next call. Errors: kOutput, lines could not be read back.
  Result<std::string_view> next() {
    return source_ != nullptr ? source_->read(at_) : Result<std::string_view>(std::exchange(text_, {}));
  }

 private:
  TransactionLines* source_ = nullptr;
  TransactionLines::Place at_ = {};
  std::string_view text_ = {};
};

}  // namespace vstream
