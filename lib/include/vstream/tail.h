#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "vstream/checkpoint.h"
#include "vstream/connection.h"
#include "vstream/error.h"
#include "vstream/flags.h"
#include "vstream/log.h"
#include "vstream/position.h"
#include "vstream/row.h"
#include "vstream/selector.h"
#include "vstream/sink.h"
#include "vstream/value_forms.h"

namespace vstream {

/// The kinds of native lines (vstream-events: `type`), as bits of a set.
enum class Line : std::uint32_t {
  kRow = 1U << 0U,
  kDdl = 1U << 1U,
  kReshard = 1U << 2U,
  kCopyCompleted = 1U << 3U,
  kBegin = 1U << 4U,
  kCommit = 1U << 5U,
  kFields = 1U << 6U,
  kJournal = 1U << 7U,
  kHeartbeat = 1U << 8U,
  kOther = 1U << 9U,
  kEnd = 1U << 10U,
  kCopyRestarted = 1U << 11U,
  kSkipped = 1U << 12U,
};

/// A set of line kinds.
class Lines {
 public:
  /// row, ddl, reshard, copy_completed, copy_restarted, skipped: what is printed unless asked otherwise.
  static constexpr Lines defaults() { return Lines(0x180fU); }
  static constexpr Lines all() { return Lines(0x1fffU); }
  constexpr Lines() = default;

  constexpr bool has(Line line) const { return (bits_ & static_cast<std::uint32_t>(line)) != 0; }
  constexpr void add(Line line) { bits_ |= static_cast<std::uint32_t>(line); }
  constexpr void remove(Line line) { bits_ &= ~static_cast<std::uint32_t>(line); }
  friend constexpr bool operator==(Lines, Lines) = default;

 private:
  explicit constexpr Lines(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// A set of row operations.
class RowOps {
 public:
  static constexpr RowOps all() { return RowOps(0xffU); }
  constexpr RowOps() = default;

  constexpr bool has(RowOp op) const { return (bits_ & (1U << static_cast<unsigned>(op))) != 0; }
  constexpr void add(RowOp op) { bits_ |= 1U << static_cast<unsigned>(op); }
  friend constexpr bool operator==(RowOps, RowOps) = default;

 private:
  explicit constexpr RowOps(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

/// Where a stream begins.
struct StartAt {
  enum class Kind : std::uint8_t {
    kCurrent,   ///< now
    kCopy,      ///< copy the tables first, then go on with their changes
    kPositions  ///< at the positions given; only their shards are streamed
  };
  Kind kind = Kind::kCurrent;
  Vgtid positions = {};
  std::optional<CopyState> copy = {};  ///< with kPositions: a copy that goes on from there
};

/// Where a stream ends: when the position of every shard contains its part of a target. What a shard brings after that
/// is not printed, and its position stays; of what it brings before, exactly the transactions that the target contains
/// are printed. A shard that is being copied has not reached anything; one that is born of a reshard has, unless the
/// target names it.
struct StopAt {
  enum class Kind : std::uint8_t {
    kEnd,       ///< what each shard's PRIMARY has executed when the run starts; not with StartAt::Kind::kCurrent
    kPositions  ///< these; every streamed shard needs one, and no other shard may have one
  };
  Kind kind = Kind::kEnd;
  Vgtid positions = {};  ///< of MySQL; other flavors cannot be compared
};

enum class Format : std::uint8_t {
  kNative,  ///< one line a change
  kRaw      ///< one line a response, as received, in protobuf JSON
};

/// What to do with a row image that misses columns (binlog_row_image, PARTIAL_JSON).
enum class PartialImages : std::uint8_t {
  kStop,  ///< end with kPartialImage; nothing of the transaction is printed
  kMark   ///< leave absent columns out of the line, and name them in it
};

struct TailOptions {
  ConnectOptions connection = {};
  std::vector<Selector> selectors = {};  ///< at least one; each keyspace gets a stream of its own
  std::vector<Selector> exclude = {};    ///< less these
  std::vector<TableQuery> queries = {};  ///< at most one a table; of tables that are selected by any selector
  RowOps ops = RowOps::all();            ///< other rows are neither printed nor counted, but have their `n`
  /// Selectors that do not name a table take the helpers of gh-ost and pt-online-schema-change, too.
  bool internal_tables = false;
  StreamFlags flags = {};  ///< but for its heartbeat_interval
  StartAt from = {};
  TabletType tablet_type = TabletType::kReplica;
  std::optional<std::uint64_t> count = {};                     ///< end after exactly so many rows; at least 1
  std::optional<std::chrono::milliseconds> duration = {};      ///< end after so long
  std::optional<std::chrono::milliseconds> idle_timeout = {};  ///< end when so long nothing came; not during a copy
  bool until_copy_completed = false;                           ///< end when the copy is complete; only with kCopy
  std::optional<StopAt> until = {};                            ///< end at a target; not with until_copy_completed
  /// Transactions that the tablets cannot read, to be stepped over: each entry's gtid is "MySQL56/" and one of them,
  /// which the shard has executed. One that the start position contains is only warned about.
  Vgtid skip = {};
  Lines emit = Lines::defaults();
  Format format = Format::kNative;
  ValueForms as = {};  ///< of kNative
  bool key = false;    ///< of kNative: rows have a `key`
  PartialImages partial_images = PartialImages::kStop;
  std::chrono::seconds heartbeat_interval{1};  ///< of VTGate's heartbeats; 1 s to 1 h
  /// Nothing at all for so long (or only heartbeats inside a transaction) breaks the stream; at least twice the
  /// heartbeat interval. Time in which our own output is blocked does not count. Zero: no limit.
  std::chrono::milliseconds liveness_timeout{10'000};
  std::chrono::milliseconds startup_timeout{300'000};  ///< until every shard has started; zero: no limit
  /// A shard without an event for so long breaks the stream, from its first keyspace heartbeat on. Zero: no limit.
  std::chrono::milliseconds shard_stall_timeout{0};
  bool stream_keyspace_heartbeats = false;  ///< asks for the tablets' own heartbeat rows; they are never printed
  /// What may pass is tried again for so long, from the first failure until the stream has recovered. None: for ever.
  std::optional<std::chrono::milliseconds> retry_for = std::chrono::minutes(5);
  bool retry_start = false;  ///< also when the first connection cannot be made
  /// Bytes of lines of unfinished transactions, of all shards together, that are kept in memory. What is more goes to
  /// an unlinked file in TMPDIR. Several keyspaces share it evenly.
  std::size_t max_transaction_memory = std::size_t{64} << 20U;
  /// Bytes in that file, of each keyspace; more than that ends the stream with kOutput.
  std::uint64_t max_transaction_disk = std::uint64_t{10} << 30U;
};

/// Why a stream ended well.
enum class EndReason : std::uint8_t {
  kCount,
  kDuration,
  kSignal,
  kCopyCompleted,
  kPipe,
  kUntil,  ///< StopAt::Kind::kPositions
  kAtEnd,  ///< StopAt::Kind::kEnd
  kIdle
};

/// "copy_completed" and so on: as in the `end` line.
std::string_view end_reason_name(EndReason reason);

struct TailEnd {
  EndReason reason = EndReason::kSignal;
  std::uint64_t rows = 0;  ///< printed
  /// After the last finished transaction of each shard that has one. Empty while a copy is not complete: a stream from
  /// there would leave the rest of the tables out.
  Vgtid position = {};
  bool copy_unfinished = false;  ///< it ended in the middle of a copy
  bool goal_missed = false;      ///< a time passed before `count`, `until` or `until_copy_completed` was met
  /// Of the lines in `rows` and others, what the reader of a pipe had not taken when the sink gave up waiting for it.
  std::uint64_t lines_not_taken = 0;
};

/// What a caller may want to know of a run while it runs. Called on the thread of tail(); each may be empty.
struct TailHooks {
  /// Once: every shard has started (an event of it came, or a tablet can serve its position and the call has lived).
  /// What is committed from now on will be streamed. Positions of shards that have one.
  std::function<void(const Vgtid&)> started = {};
  /// Once: nothing more is read; what is finished is being written.
  std::function<void()> ending = {};
};

/// Streams until a stop condition is met, `stop` is requested, the reader of `sink` has gone, or an error occurs.
/// Lines of a transaction reach `sink` when all of it was received, never in part. Runs on the calling thread; several
/// keyspaces run on threads of their own. `sink`, `log` and `hooks` are called from these, each never by two at a time;
/// `stop` may be requested from any thread. A stream that breaks is taken
/// up again after the last finished transaction of each shard. Errors: see ErrorCode; what was written before stands.
Result<TailEnd> tail(const TailOptions& options, Sink& sink, std::stop_token stop, const LogHook& log,
                     const TailHooks& hooks = {});

}  // namespace vstream
