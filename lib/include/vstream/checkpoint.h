#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"
#include "vstream/position.h"

namespace vstream {

/// A table that one shard has not copied to its end.
struct UnfinishedTable {
  std::string shard;
  std::string table;  ///< bare
  /// Behind which row the copy goes on: a binlogdata.TableLastPK, as VTGate sent it. Empty: the table waits, or how far
  /// it has come is not known. It holds values of the table's key.
  std::string cursor = {};

  friend bool operator==(const UnfinishedTable&, const UnfinishedTable&) = default;
};

/// A copy that is not complete.
struct CopyState {
  std::vector<std::string> tables = {};          ///< all that are copied, by now; finished ones, too
  std::vector<UnfinishedTable> unfinished = {};  ///< what no entry names has been copied

  friend bool operator==(const CopyState&, const CopyState&) = default;
};

/// Where a stream of one keyspace goes on.
struct Checkpoint {
  Vgtid position = {};  ///< of each shard, after its last transaction that is done with
  std::optional<CopyState> copy = {};
  std::vector<std::string> tables = {};  ///< what is streamed: selectors, with their queries; others are refused

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// `{"vgtid":{"shardGtids":[…]},"tables":[…],"copy_tables":[…]}`; the VGTID as Vitess itself writes it in JSON, with
/// the cursors as `tablePKs`; without `copy_tables` no copy is under way.
std::string checkpoint_to_json(const Checkpoint& checkpoint);

/// Reads it back, at most 16 MiB. Errors: kInvalidPosition for anything that is not such a checkpoint: not JSON, a
/// position that parse_vgtid() refuses, shards of several keyspaces, a cursor that no tablet can use, or one of a table
/// that is not copied.
Result<Checkpoint> parse_checkpoint(std::string_view text);

}  // namespace vstream
