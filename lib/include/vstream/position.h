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
/// may be left out when the set is a MySQL one, and a comma ends a position only where another `ks/shard@` follows.
///
/// Every shard must have a concrete position: MySQL sets are checked and come out in their canonical form, MariaDB and
/// FilePos positions pass unjudged. At most 16 MiB of text are read.
/// Errors: kInvalidPosition for the first part that is wrong, naming the shard and the byte offset (in the short form
/// that of the whole text, in JSON that within the gtid). Refused, too: no shard at all, a shard twice, the words of a
/// request (`current`, ""), copy cursors (tablePKs, table_p_ks, table_pks) unless their list is empty.
Result<Vgtid> parse_vgtid(std::string_view text);

/// The JSON form used in our lines: `[{"keyspace":"commerce","shard":"0","gtid":"MySQL56/…"}]`.
std::string vgtid_to_json(const Vgtid& vgtid);

/// The short form that is accepted by parse_vgtid and by the command line: `commerce/0@MySQL56/…,…`. It reads back as
/// the same VGTID as long as no MariaDB or FilePos position has an `@`.
std::string vgtid_to_short(const Vgtid& vgtid);

}  // namespace vstream
