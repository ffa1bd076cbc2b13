#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vstream/connection.h"
#include "vstream/error.h"
#include "vstream/log.h"
#include "vstream/position.h"
#include "vstream/row.h"
#include "vstream/store.h"
#include "vstream/tail.h"

namespace vstream {

/// Rows of one table, of all its shards, given to its flush callback. Valid while the callback runs.
struct Flush {
  std::string_view keyspace;
  std::string_view table;           ///< bare
  std::span<const RowChange> rows;  ///< at least one; in the order of each shard
  std::uint64_t rows_before = 0;    ///< rows of this table that earlier flushes of this run have delivered
  std::uint64_t flushes_before = 0;
  /// After the last transaction that is flushed with these rows: what is saved once all callbacks have succeeded. Empty
  /// during a copy. A transaction that is too large to be held is delivered in parts, and is not counted before its
  /// last.
  Vgtid position;
};

/// Takes rows. An error ends the stream, nothing of that flush is saved, and Stream::run() returns the error as it is.
using FlushCallback = std::function<Result<void>(const Flush&)>;

struct StreamTable {
  std::string name;                       ///< bare
  FlushCallback on_flush = {};            ///< none: StreamOptions::on_flush
  std::vector<std::string> columns = {};  ///< the query: which columns; none: all
  std::string where = {};                 ///< the query: which rows, as TableQuery::where; none: all
};

/// Every time of a stream. Zero means no limit where it says so.
struct StreamTimeouts {
  std::chrono::milliseconds connect{10'000};   ///< of the first connection, and of each question asked
  std::chrono::milliseconds startup{300'000};  ///< until every shard has started; zero: no limit
  /// Of VTGate's heartbeats; 1 s to 1 h. None: what the flags say, or 1 s.
  std::optional<std::chrono::seconds> heartbeat_interval = {};
  std::chrono::milliseconds liveness{10'000};  ///< nothing at all for so long breaks the stream; zero: no limit
  std::chrono::milliseconds shard_stall{0};    ///< no event of a shard for so long; zero: no limit (TailOptions)
  /// What may pass is tried again for so long, from the first failure until the stream has recovered. None: for ever.
  std::optional<std::chrono::milliseconds> retry_for = std::chrono::minutes(5);
};

/// What a hook hears besides the rows. `committed_at` is none where the server does not say.
struct StreamEvent {
  std::string_view keyspace = {};
  std::string_view shard = {};
  std::string_view gtid = {};
  std::optional<std::chrono::sys_seconds> committed_at = {};
};

/// A reshard that all old shards have gone through.
struct StreamReshard {
  std::string_view keyspace = {};
  std::int64_t id = 0;                         ///< the same if it is told again
  std::vector<std::string> participants = {};  ///< the old shards
  Vgtid shards = {};                           ///< the new ones, and where they start
};

/// What else happens, in the order of each shard. Each may be empty; an error ends the stream as one of a flush does.
/// Hooks are called when the transaction is complete, but rows are held back until they are flushed: only before ddl,
/// copy_completed, copy_restarted and reshard everything that came earlier is flushed first.
struct StreamHooks {
  /// Once: every shard has started; what is committed from now on will be streamed.
  std::function<void(const Vgtid&)> started = {};
  std::function<Result<void>(const StreamEvent&)> begin = {};
  std::function<Result<void>(const StreamEvent&, std::uint64_t rows)> commit = {};
  /// The rows before it had the old columns, and are flushed. `statement` may be any bytes.
  std::function<Result<void>(const StreamEvent&, std::string_view statement)> ddl = {};
  std::function<Result<void>(std::chrono::sys_seconds)> heartbeat = {};
  /// Of a shard; last, with an empty shard, of all.
  std::function<Result<void>(std::string_view shard)> copy_completed = {};
  /// The copy of a table without a key begins anew: drop what came of it from that shard.
  std::function<Result<void>(std::string_view shard, std::string_view table)> copy_restarted = {};
  std::function<Result<void>(const StreamReshard&)> reshard = {};
  /// A transaction of StreamOptions::skip was stepped over: the tables that it changed may differ from now on.
  std::function<Result<void>(const StreamEvent&)> skipped = {};
};

struct StreamOptions {
  ConnectOptions connection = {};  ///< its connect_timeout is taken from `timeouts`
  std::string keyspace = {};
  std::vector<StreamTable> tables = {};  ///< none: every table, also those that are made later
  FlushCallback on_flush = {};           ///< of tables without one of their own. No callback at all: rows are dropped
  /// Rows are flushed at the end of a transaction, all tables together, when so much time has passed since the last
  /// flush ...
  std::chrono::milliseconds min_flush_duration{30'000};
  /// ... or when so many rows wait. A callback gets at most so many at once. This is a trigger and a chunk size, not a
  /// cap on memory: a transaction below max_transaction_memory is held as a whole, and then its rows. At least 1.
  std::size_t max_rows_per_flush = 1000;
  /// Where to begin when the store has no checkpoint; with a store there is no default. Without a store: now.
  /// Positions of a stream with a store must name every shard: one that they leave out is not streamed.
  std::optional<StartAt> from = {};
  bool until_copy_completed = false;  ///< end when the copy is complete; only with a copy
  std::optional<StopAt> until = {};   ///< end at a target; not with until_copy_completed
  Vgtid skip = {};                    ///< transactions to step over: see TailOptions::skip
  TabletType tablet_type = TabletType::kReplica;
  PartialImages partial_images = PartialImages::kStop;
  bool stream_keyspace_heartbeats = false;  ///< asks for the tablets' own heartbeat rows; they are never delivered
  StreamFlags flags = {};
  StreamTimeouts timeouts = {};
  StreamHooks hooks = {};
  /// Outlives the stream; null: nothing is kept. It is written before the first flush, and when all rows up to
  /// a position were flushed with success, at most once a flush. From the checkpoint of an unfinished copy the copy
  /// goes on: rows may come again, no change is missing, and what is to be dropped is told
  /// (StreamHooks::copy_restarted).
  Store* store = nullptr;
  LogHook log = {};
  std::size_t max_transaction_memory = std::size_t{64} << 20U;    ///< bytes; what is more goes to a file in TMPDIR
  std::uint64_t max_transaction_disk = std::uint64_t{10} << 30U;  ///< bytes in that file; more ends the stream
};

struct StreamEnd {
  EndReason reason = EndReason::kSignal;
  std::uint64_t rows = 0;  ///< delivered, or dropped because their table has no callback
  /// After the last finished transaction of each shard that has one. Empty while a copy is not complete.
  Vgtid position = {};
  bool copy_unfinished = false;
};

/// A stream of typed rows, made of the same parts as tail(): whole transactions in the order of each shard, taken up
/// again when it breaks, copies and reshards included. At least once: after a crash, rows since the last saved
/// checkpoint come again (RowChange::n tells them apart).
///
///     MemoryStore store;
///     StreamOptions options{.keyspace = "commerce"};
///     options.tables = {{.name = "customer", .on_flush = [](const Flush& flush) -> Result<void> { … }}};
///     options.from = StartAt{.kind = StartAt::Kind::kCopy};
///     options.store = &store;
///     const Result<StreamEnd> end = Stream(std::move(options)).run(stop.get_token());
///
/// Thread safety: run() calls everything that was given to it on the thread that it is called from; the stop may be
/// requested from any. Time spent in callbacks does not count as silence of the server.
class Stream {
 public:
  explicit Stream(StreamOptions options) : options_(std::move(options)) {}

  /// Runs until `stop` is requested, the copy is complete or the target reached (if that was asked for), or an error
  /// occurs. At a clean end
  /// everything that was received whole is flushed and saved; after an error of the stream, too. A stream runs once:
  /// a new one goes on from the store.
  /// Errors: those of tail(), of a callback, a hook or the store; kUsage for options that do not fit and for a second
  /// run; kInvalidPosition for a checkpoint that cannot be used. Exceptions of callbacks leave it, with nothing saved.
  Result<StreamEnd> run(std::stop_token stop = {});

 private:
  StreamOptions options_;
  bool ran_ = false;
};

}  // namespace vstream
