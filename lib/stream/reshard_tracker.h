#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "position/reshard.h"
#include "vtgate/response.h"

namespace vstream {

/// Copies a journal out of an event's bytes.
Journal to_journal(const JournalView& view);

/// Waits until every old shard of a reshard has written its journal. Lives as long as the run, so that a reshard is
/// told once, though journals come again after a reconnect. Not synchronised.
class ReshardTracker {
 public:
  /// A new request brings the journals of a reshard that is not complete again.
  void begin_request() { journaled_.clear(); }
  /// Notes that `shard` has journaled. True once per reshard: when it was the last participant.
  bool journaled(const Journal& journal, std::string_view keyspace, std::string_view shard);

 private:
  std::map<std::int64_t, std::set<Participant>> journaled_;
  std::set<std::int64_t> complete_;
};

}  // namespace vstream
