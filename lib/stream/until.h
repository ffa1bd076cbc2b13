#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "position/gtid_set.h"
#include "position/reshard.h"
#include "stream/server_history.h"
#include "vstream/error.h"
#include "vstream/position.h"
#include "vstream/tail.h"

namespace vstream {

/// Where the shards of one keyspace are to stop: says of each finished transaction whether it belongs to the target,
/// and which shards have reached theirs.
///
/// A transaction belongs if the target's set contains it. The order does not tell: a binlog that merges those of
/// several servers may bring one that does not belong before the last that does. What does not belong leaves the
/// shard's position, too, which stays within what the stream began with and the target: a stream from there brings it.
/// A value without IO. Not synchronised.
class Until {
 public:
  /// `target`: of this keyspace. `shards`: those that are streamed; each needs a position in it, or one of a shard that
  /// it becomes in a reshard, whose journal is its end then. `kind`: kEnd if all of the target exists already.
  /// Errors: kUsage, naming shards without a position, and positions of shards that are neither streamed nor become of
  /// those that are; kInvalidPosition for a position of another flavor than MySQL56.
  static Result<Until> make(const Vgtid& target, StopAt::Kind kind, std::string keyspace,
                            const std::vector<std::string>& shards);

  /// The shard stands there, and all before is taken: where the stream begins, or where its copy was complete. A
  /// position that is not concrete is learnt from the first transaction. Errors: those of judge().
  Result<void> begins(std::string_view shard, std::string_view gtid);

  struct Verdict {
    enum class Kind : std::uint8_t {
      kBelongs,
      kOutside,  ///< to be left out, but the position may have moved
      kSilent    ///< to be ignored: the shard was done before
    };
    Kind kind = Kind::kBelongs;
    std::string gtid = {};  ///< the shard's position then; empty: it has none or has not moved
  };
  /// A transaction is finished. `gtid`: the position after it; `transaction`: its own GTID, empty if the server does
  /// not say it (then it is what the position has gained); `journal`: null if it is none. A shard is done at its
  /// journal at the latest: what comes after is no change of its own. The shards that it becomes are done at once,
  /// unless the target names them. A journal is outside if another shard of its reshard stopped before its own: that
  /// one's changes in between would be lost in a reshard. Errors: kInvalidPosition for a position that cannot be
  /// compared; kPositionLost if a reshard ends a shard before a target that was to come.
  Result<Verdict> judge(std::string_view shard, std::string_view gtid, std::string_view transaction,
                        const Journal* journal);

  /// Every shard has reached its target, or its journal.
  bool done() const;
  EndReason reason() const { return kind_ == StopAt::Kind::kEnd ? EndReason::kAtEnd : EndReason::kUntil; }

  /// The shards that have come no nearer to their target since the last call (or ever), and what they still miss.
  std::map<std::string, GtidSet> stuck();
  /// What the shard's servers say of what it misses. Errors: kPositionLost, naming what no server can bring any more;
  /// also what only some tablets have that the primary never had, when the shard is stuck on it for the second time.
  Result<void> check(const std::string& shard, const GtidSet& missing, const ShardHistories& histories);

 private:
  struct Goal {
    std::optional<GtidSet> target = {};  // none: until its journal
    std::optional<GtidSet> start = {};   // none: not known yet
    GtidSet position = {};               // as VTGate has it
    bool done = false;
    bool journaled = false;
    std::optional<GtidSet> missed = {};  // when stuck() was last called
    bool waits_for_some = false;         // only some tablets have what it missed then
  };

  Until(StopAt::Kind kind, std::string keyspace) : kind_(kind), keyspace_(std::move(keyspace)) {}
  Result<Verdict> pass(std::string_view shard, Goal& goal, std::string_view gtid, std::string_view transaction) const;
  Result<Verdict> pass_journal(std::string_view shard, Goal& goal, std::string_view gtid, const Journal& journal);
  Result<void> bear(const Journal& journal);
  std::unexpected<Error> unreachable(std::string_view shard, const GtidSet& missing, std::string_view why) const;

  StopAt::Kind kind_;
  std::string keyspace_;
  std::map<std::string, Goal, std::less<>> shards_;
  std::map<std::string, GtidSet, std::less<>> unborn_;  // targets of shards that others become
};

/// What of `missing` the shard's servers can still bring.
struct Reach {
  GtidSet never;    ///< no server has it, or the only one has thrown it away
  GtidSet by_some;  ///< errant: not every tablet that may be streamed has it, and it does not come from the primary
};
Reach reach(const GtidSet& missing, const ShardHistories& histories);

}  // namespace vstream
