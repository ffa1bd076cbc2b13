#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"

namespace vstream {

/// The position of one shard. `gtid` is "Flavor/set" (`MySQL56/3e11fa47-…:1-5`), or one of the two special values a
/// request may hold: the word `current` (now) and "" (copy the tables first).
struct ShardPosition {
  std::string keyspace;
  std::string shard;
  std::string gtid;

  friend bool operator==(const ShardPosition&, const ShardPosition&) = default;
};

/// A VGTID: one position per shard. The order means nothing.
using Vgtid = std::vector<ShardPosition>;

/// Reads a VGTID in any of its forms: JSON (an array of shard positions, or the object `{"shardGtids": […]}` that
/// Vitess' own tools write; camelCase and snake_case), or `ks/shard@GTID,ks/shard@GTID`. In the short form the flavor
/// may be left out when the set is a MySQL one. Every GTID is checked and printed in its canonical form.
/// Errors: kInvalidPosition naming the part that is wrong; copy cursors (table_pks) are refused here.
Result<Vgtid> parse_vgtid(std::string_view text);

/// The JSON form used in our lines: `[{"keyspace":"commerce","shard":"0","gtid":"MySQL56/…"}]`.
std::string vgtid_to_json(const Vgtid& vgtid);

/// The short form that is accepted by parse_vgtid and by the command line: `commerce/0@MySQL56/…,…`.
std::string vgtid_to_short(const Vgtid& vgtid);

}  // namespace vstream
