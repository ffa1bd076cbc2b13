#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "position/gtid_set.h"
#include "stream/server_history.h"
#include "vstream/error.h"
#include "vstream/log.h"
#include "vstream/position.h"

// Transactions that no tablet can read (poison). A stream steps over one by a position that contains it already: MySQL
// sends what a position lacks, also what comes before a transaction in it (seen on 24.0.4).
namespace vstream {

/// Checks what is to be skipped: each entry names one transaction of a streamed shard. `shards` are of `keyspace`.
/// Errors: kUsage and kInvalidPosition, naming the entry.
Result<void> check_skips(const Vgtid& skips, const std::string& keyspace, const std::vector<std::string>& shards);

/// What a shard's servers have had; none: they could not be asked.
using AskShard = std::function<std::optional<ShardHistories>(const std::string& shard)>;

/// Checks that the shards have had these transactions: a slip of the pen would make a position that nobody can serve.
/// Who cannot be asked is warned about. Errors: kUsage, naming the transaction.
Result<void> check_executed(const Vgtid& skips, const AskShard& ask, const LogHook& log);

/// "UUID:N": the transaction of an entry, as rows have it.
std::string transaction_of(const ShardPosition& skip);

/// The position that contains the transaction, too; none if it contains it already, or is not a concrete MySQL one:
/// then there is nothing to skip.
std::optional<std::string> stepped_over(const std::string& gtid, const ShardPosition& skip);

/// The transaction at which a stream from `position` fails: the one after it of a server that has `executed`. Empty if
/// it may be one of several.
std::string transaction_after(const std::string& position, const GtidSet& executed);

}  // namespace vstream
