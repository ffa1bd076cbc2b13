#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encode/buffer.h"
#include "encode/event_writer.h"
#include "encode/json_writer.h"
#include "stream/event_observer.h"
#include "stream/reshard_tracker.h"
#include "stream/transaction_lines.h"
#include "vstream/tail.h"
#include "vtgate/response.h"

namespace vstream {

/// An entry of a shard's position while a table is copied: how far it has come. `bytes` is the serialized
/// binlogdata.TableLastPK, which goes back to VTGate as it came.
struct CopyCursor {
  std::string table;  ///< bare
  std::string bytes;
};

/// Something that is finished: it may be printed, and its shard's position stands after it.
struct Unit {
  enum class Kind : std::uint8_t {
    kTransaction,   ///< ended by COMMIT, DDL, OTHER or ROLLBACK
    kCopyCompleted  ///< VTGate's own word: of a shard, or of all (then keyspace and shard are empty)
  };
  Kind kind = Kind::kTransaction;
  std::string_view keyspace = {};
  std::string_view shard = {};
  UnitLines lines = {};        ///< possibly none; valid while the handler runs
  std::uint64_t rows = 0;      ///< row lines among them
  std::string_view gtid = {};  ///< the shard's position now; empty: no VGTID came with it
  /// This shard's entries in that VGTID: the tables that are not finished copying. Meaningful only with a gtid.
  const std::vector<CopyCursor>* cursors = nullptr;
  std::string_view transaction = {};  ///< its own GTID; empty in a copy, and before v23
  const Journal* journal = nullptr;   ///< the shard's journal of a reshard, when the transaction was one
  bool resharded = false;             ///< with it every participant of that reshard has journaled
};

/// Takes finished units in order. Returns false to stop at once (the rest of the response is dropped).
using UnitHandler = std::function<Result<bool>(const Unit&)>;

/// Whether rows of a table on a shard are wanted.
using TableFilter = std::function<bool(std::string_view shard, std::string_view table)>;

struct AssemblerOptions {
  Lines emit = Lines::defaults();
  PartialImages partial_images = PartialImages::kStop;
  ValueForms forms = {};
  RowOps ops = RowOps::all();                                 ///< others are counted in `n`, and nowhere else
  TableFilter wants = {};                                     ///< none: every table
  std::function<bool(std::string_view table)> projects = {};  ///< some columns only were asked for; none: of no table
  /// Tables whose rows may miss BLOB, TEXT, JSON and GEOMETRY columns, as far as is known; none: no table. What their
  /// rows tell comes to it (partial_tables()).
  TableFilter may_miss_columns = {};
  bool fields_in_every_unit = false;    ///< kFields: not only on first use, so that each unit can be read by itself
  EventObserver* observer = nullptr;    ///< outlives the assembler, as do:
  EventWriter* writer = nullptr;        ///< none: native lines
  ReshardTracker* reshards = nullptr;   ///< none: one of its own
  TransactionMemory* memory = nullptr;  ///< none: one of its own, with the default limits
};

/// Puts transactions together from responses, and writes their lines (or records) while it does. A transaction may span
/// responses, heartbeats may stand inside it, a second BEGIN of a shard throws away what came since the first (but its
/// FIELDs). Knows the columns of every table per shard. Does no IO, but for large transactions (TransactionMemory). Not
/// synchronised.
class Assembler {
 public:
  explicit Assembler(AssemblerOptions options);
  ~Assembler();

  /// Reads one serialized VStreamResponse. Returns false when the handler did.
  /// Errors: kDecode, kPartialImage, kOutput (no room for a large transaction), and what the handler returns. The
  /// assembler must not be used after one.
  Result<bool> consume(std::string_view response, const UnitHandler& handler);

  /// A shard whose transaction has begun and is not finished (not one of a copy, which may take its time); empty if
  /// there is none.
  std::string_view open_shard() const;

  /// Shards and bare names of the tables whose rows may miss columns: those that were said to, and those whose AFTER
  /// images did.
  std::set<std::pair<std::string, std::string>> partial_tables() const;

 private:
  struct ShardStream;
  struct TableState;

  Result<bool> handle(const EventView& event, const UnitHandler& handler);
  bool wants_ddl(const ShardStream& shard, std::string_view statement) const;
  Result<void> begin(ShardStream& shard, const EventView& event);
  Result<void> field(ShardStream& shard, const EventView& event);
  Result<void> row(ShardStream& shard, const EventView& event);
  Result<void> write_changes(ShardStream& shard, TableState& table, RowEventReader& rows, const EventView& event);
  Result<void> vgtid(ShardStream& shard, const EventView& event);
  Result<void> journal(ShardStream& shard, const EventView& event);
  Result<bool> finish_journal(ShardStream& shard);
  Result<bool> finish(ShardStream& shard, const EventView& event, const UnitHandler& handler);
  Result<bool> copy_completed(const EventView& event, const UnitHandler& handler);
  Result<bool> heartbeat(const EventView& event, const UnitHandler& handler);
  Result<ShardStream*> shard_of(const EventView& event);

  AssemblerOptions options_;
  TransactionMemory own_memory_;
  JsonWriter own_writer_;
  EventWriter& writer_;
  RowChangeView change_;  // reused from row to row
  Buffer scratch_;
  ReshardTracker own_reshards_;
  ReshardTracker& reshards_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ShardStream>, std::less<>> shards_;
  ShardStream* last_shard_ = nullptr;
  std::uint64_t responses_ = 0;
};

}  // namespace vstream
