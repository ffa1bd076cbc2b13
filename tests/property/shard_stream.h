#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events.h"
#include "random.h"
#include "vtgate.pb.h"

namespace vstream::property {

/// What a request asks of every shard.
struct Asked {
  std::vector<bool> matched;   ///< per table: has a rule
  bool everything = false;     ///< the rule is for all tables
  std::set<std::string> copy;  ///< tables_to_copy; none: all
};

/// One shard within one call: its tablet's stream, and the position that VTGate keeps of it. Plays what was seen on a
/// real cluster (and is written in go/vt/vttablet/tabletserver/vstreamer/uvstreamer.go), also what does harm:
/// * a table is copied if it has a rule and is named in tables_to_copy (if that names any), provided that the shard
///   has no position or has any entry; so finished tables are copied again, and nothing is copied between two tables;
/// * changes of a table that waits for its copy are left out, unless its entry has a cursor: of rows, then the copy
/// goes
///   on after them; of no rows, then it starts from the beginning;
/// * a cursor's condition is SQL's: of a table without a key it loses equal rows, and those that hold NULL.
class ShardStream {
 public:
  /// Continues `entry`, the shard's entry of `vgtid`, and keeps it up to date. All outlive the stream.
  ShardStream(const History& history, std::size_t shard, const Asked& asked, const binlogdata::VGtid& vgtid,
              binlogdata::ShardGtid& entry);

  /// Why the tablet refuses to start; empty if it does not.
  const std::string& refusal() const { return refusal_; }
  /// The next events that belong together, of a shard that has come to `now`. None: there is nothing to send.
  Events next(Place now, Random& random);
  /// They end inside a transaction, so nothing of another shard may come before the next ones.
  bool is_inside() const { return copying_ && is_first_piece_; }
  bool copies() const { return !plans_.empty(); }
  bool has_completed_copy() const { return completed_; }
  /// Everything before that place was sent.
  bool is_at(Place place) const { return !copies() && place_ == place; }
  /// VTGate goes on with another tablet, from the entry as it is.
  void restart();

 private:
  struct Plan {
    std::size_t table = 0;
    bool has_cursor = false;
    query::QueryResult cursor;
  };

  Events deliver(Random& random);
  Events deliver_changes(const Transaction& transaction, Random& random);
  bool is_left_out(std::size_t table) const;
  Events begin_copy(Random& random);
  Events copy_rows(Random& random);
  Events end_copy();
  binlogdata::TableLastPK* find_entry(const std::string& table);
  void move_to(Place place);

  const History& history_;
  std::size_t shard_;
  const Asked& asked_;
  const binlogdata::VGtid& vgtid_;
  binlogdata::ShardGtid& entry_;
  EventMaker maker_;
  std::string refusal_;
  std::optional<Place> place_;       // none: an empty position
  std::vector<Plan> plans_;          // tables to copy, in order
  std::optional<Place> snapshot_;    // where the copy of the first one is to be taken
  bool copying_ = false;             // it is being copied
  bool is_first_piece_ = false;      // no row of it was sent
  std::vector<Row> rows_;            // left to copy of it
  std::set<std::size_t> announced_;  // tables whose FIELD was sent
  bool completed_ = false;
};

}  // namespace vstream::property
