#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binlogdata.pb.h"
#include "stream/assembler.h"
#include "stream/shard_positions.h"
#include "vstream/checkpoint.h"
#include "vstream/error.h"
#include "vtgate/response.h"

namespace vstream {

/// The order of a copy, and what each of its requests must say so that no row, no change and no DELETE is lost,
/// wherever it was interrupted. One table per request, in byte order of the names, the next one when every shard has
/// finished: VTGate alone skips tables and swallows deletes when it copies several in one request and a tablet fails
/// (seen on 24.0.4 and 23.0.3). Not synchronised.
class CopyPlan {
 public:
  CopyPlan(const std::vector<std::string>& tables, const std::vector<std::string>& shards);
  /// Goes on with the copy of another process. What that has sent out beyond the state is not known, so that rows of
  /// every unfinished table may be out.
  CopyPlan(const CopyState& state, const std::vector<std::string>& shards);

  /// True when no table is left to copy.
  bool complete() const { return !current_; }
  /// The table that is copied now. Not when complete().
  const std::string& table() const { return *current_; }
  /// Those that are finished: their changes are streamed while table() is copied.
  const std::set<std::string, std::less<>>& finished_tables() const { return finished_; }

  struct Changes {
    std::vector<std::string> appeared;
    std::vector<std::string> gone;
  };
  /// The keyspace has these tables now: new ones wait for their turn, those that are gone are forgotten.
  Changes tables_are(const std::vector<std::string>& tables);

  /// The shards of which rows of table() may be out, though its key is not known: tell it before the next request.
  std::vector<std::string> keys_wanted() const;
  /// The table's fields on a shard, as SQL has them.
  void key_is(std::string_view shard, const std::vector<query::Field>& fields);

  /// Call before each request, with the positions that it will name. A table without a key cannot go on where it was:
  /// its cursor loses rows. These shards begin it anew, and who has rows of it from them must drop those first.
  std::vector<std::string> begin_request(const ShardPositions::Map& positions);
  /// The entry for a shard in the request: nothing (it has finished), the bare name (nothing of the table can be out
  /// there yet: VTGate holds its changes back), a cursor of zero rows (copies from the beginning and holds nothing
  /// back), or the cursor as VTGate sent it.
  std::optional<binlogdata::TableLastPK> entry(std::string_view shard) const;

  /// A copy FIELD came. Errors (kStreamBroken; make a new request): of a table that is not to be copied; the second one
  /// of a table without a key in one request, by which VTGate's own retry gives itself away.
  Result<void> copy_begins(std::string_view shard, std::string_view table, const FieldEventView& fields);
  /// True when it was seen that the table has no key.
  bool without_key() const;
  /// A finished transaction left `shard` with these cursors. True if it has finished the table with that.
  bool shard_reported(std::string_view shard, const std::vector<CopyCursor>& cursors);
  /// True when every shard has finished the table.
  bool table_finished() const;
  /// Goes on to the next table.
  void next_table();

  /// What is to be kept, with positions of the same moment.
  CopyState state() const;

 private:
  // How far one shard has come with table().
  struct ShardCopy {
    bool finished = false;
    bool begun = false;  // rows of it may be out
    bool has_key = true;
    int begun_in_request = 0;              // copy FIELDs
    binlogdata::TableLastPK no_rows = {};  // the zero-row cursor, when begun and the key is known
    std::string cursor = {};               // as VTGate sent it; empty: none
  };

  // Of a table that another process has left unfinished: the shards that have, and their cursors.
  using LeftOver = std::map<std::string, std::string, std::less<>>;

  void choose();
  ShardCopy first_state(std::string_view shard) const;

  std::set<std::string, std::less<>> finished_;
  std::set<std::string, std::less<>> waiting_;
  std::optional<std::string> current_;
  std::map<std::string, ShardCopy, std::less<>> shards_;
  bool resumed_ = false;
  std::map<std::string, LeftOver, std::less<>> left_over_;
};

}  // namespace vstream
