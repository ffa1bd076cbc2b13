#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "position/reshard.h"
#include "vstream/error.h"
#include "vstream/position.h"

namespace vstream {

/// The position of every followed shard, kept by ourselves: VTGate's VGTID lists all shards, but moves only the one
/// that its event names. "current" or "" until a shard has reported. Not synchronised.
class ShardPositions {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  explicit ShardPositions(Map start) : positions_(std::move(start)) {}

  const Map& map() const { return positions_; }
  bool follows(std::string_view shard) const { return positions_.contains(shard); }
  /// The end of a finished transaction of a followed shard. What VTGate puts in place of a position that it does not
  /// know yet ("", "current") is not taken. A shard that has journaled stays at its last position before.
  /// True if that is another position than before.
  bool moved(std::string_view shard, std::string_view gtid);

  /// A followed shard has written its journal. Its position stays before it, for a stream from behind a journal never
  /// gets it again and hangs (seen), until every participant that is followed has journaled: then, in one step, they
  /// leave and the new shards enter. True when that happened.
  bool journaled(std::string_view shard, const Journal& journal);
  /// Journals that a request brought in vain come again in the next one.
  void begin_request() { journaled_.clear(); }

  /// The concrete positions.
  Vgtid vgtid(const std::string& keyspace) const;

 private:
  Map positions_;
  std::set<std::string, std::less<>> journaled_;
};

/// True for a position that can be stored; false for "" and the word `current`.
bool is_concrete(std::string_view gtid);

}  // namespace vstream
