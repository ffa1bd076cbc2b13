#include "stream/skip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "position/position.h"

namespace vstream {
namespace {

// The set of a MySQL position; none for another one.
std::optional<GtidSet> mysql_set(const std::string& gtid) {
  auto position = Position::parse(gtid);
  if (!position || position->flavor != "MySQL56") return std::nullopt;
  return std::move(position->set);
}

bool is_one_transaction(const GtidSet& set) {
  if (set.servers().size() != 1 || set.servers().front().intervals.size() != 1) return false;
  const Interval interval = set.servers().front().intervals.front();
  return interval.first == interval.last;
}

}  // namespace

Result<void> check_skips(const Vgtid& skips, const std::string& keyspace, const std::vector<std::string>& shards) {
  for (const ShardPosition& skip : skips) {
    if (skip.keyspace != keyspace || std::ranges::find(shards, skip.shard) == shards.end()) {
      return fail(ErrorCode::kUsage,
                  fmt::format("the transaction to skip is of shard \"{}/{}\", which is not streamed", skip.keyspace,
                              skip.shard),
                  fmt::format("streamed: \"{}\" of keyspace \"{}\"", fmt::join(shards, "\", \""), keyspace));
    }
    const auto set = mysql_set(skip.gtid);
    if (!set || !is_one_transaction(*set)) {
      return fail(ErrorCode::kInvalidPosition,
                  fmt::format("\"{}\" of shard \"{}/{}\" is not one transaction", skip.gtid, skip.keyspace, skip.shard),
                  "exactly one can be skipped at a time: keyspace/shard@UUID:N");
    }
  }
  return {};
}

Result<void> check_executed(const Vgtid& skips, const AskShard& ask, const LogHook& log) {
  for (const ShardPosition& skip : skips) {
    const auto histories = ask(skip.shard);
    const auto set = mysql_set(skip.gtid).value_or(GtidSet());
    const auto has = [&](const ServerHistory& server) { return server.executed.contains(set); };
    if (histories &&
        (std::ranges::any_of(histories->streamed, has) || (histories->primary && has(*histories->primary)))) {
      continue;
    }
    if (histories && histories->primary && histories->complete) {
      return fail(ErrorCode::kUsage,
                  fmt::format("shard \"{}/{}\" has never had the transaction to skip: {}", skip.keyspace, skip.shard,
                              transaction_of(skip)),
                  "it is the one that the message of exit code 65 names");
    }
    log(LogLevel::kWarning, fmt::format("could not ask whether shard \"{}/{}\" has had the transaction to skip: {}",
                                        skip.keyspace, skip.shard, transaction_of(skip)));
  }
  return {};
}

std::string transaction_of(const ShardPosition& skip) { return skip.gtid.substr(skip.gtid.find('/') + 1); }

std::optional<std::string> stepped_over(const std::string& gtid, const ShardPosition& skip) {
  auto position = mysql_set(gtid);
  const auto transaction = mysql_set(skip.gtid);
  if (!position || !transaction || position->contains(*transaction)) return std::nullopt;
  position->merge(*transaction);
  return "MySQL56/" + position->to_string();
}

std::string transaction_after(const std::string& position, const GtidSet& executed) {
  const auto set = mysql_set(position);
  if (!set) return "";
  const GtidSet left = executed.without(*set);
  if (left.servers().size() != 1) return "";
  const ServerIntervals& server = left.servers().front();
  return fmt::format("{}:{}", server.server.to_string(), server.intervals.front().first);
}

}  // namespace vstream
