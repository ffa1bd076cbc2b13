#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stream/condition.h"
#include "stream/table_choice.h"
#include "vstream/error.h"
#include "vstream/tail.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {

/// The error for a table that the server cannot copy.
std::unexpected<Error> cannot_copy(const std::string& keyspace, std::string_view table);

/// What the selectors mean on this cluster: one keyspace, its selected shards, their selected tables.
class Selection {
 public:
  /// Asks VTGate what exists, and checks the selectors, the shards of the start positions and the tablets against it.
  /// The selectors are of one keyspace. Errors: kUsage (no selector, or nothing is left of them), kUnknownKeyspace,
  /// kUnknownShard, kUnknownTable, kNoTablet, kRejected (a table that is never streamed, a query for columns that do
  /// not exist), kInvalidPosition, and those of SqlClient::query.
  static Result<Selection> resolve(const TailOptions& options, const SqlClient& sql, const LogHook& log);

  /// For a cluster that is known; nothing is asked or checked.
  Selection(std::string keyspace, std::vector<std::string> shards, std::vector<std::string> tables,
            const TailOptions& options);

  const std::string& keyspace() const { return keyspace_; }
  /// The streamed shards, in byte order.
  const std::vector<std::string>& shards() const { return shards_; }
  /// The selected tables that exist, in byte order.
  const std::vector<std::string>& tables() const { return tables_; }
  /// Which tables are selected, also of those that are made later.
  const TableChoice& choice() const { return choice_; }
  /// True when a selector names a shard.
  bool names_shards() const;
  /// "commerce", "customer/-80": for people.
  std::string to_string() const;

 private:
  Selection() = default;
  Result<void> take_shards(const TailOptions& options, const SqlClient& sql);
  Result<void> keep_positioned_shards(const TailOptions& options, const LogHook& log);
  Result<void> check_tablets(const TailOptions& options, const std::vector<Tablet>& tablets, const LogHook& log) const;
  Result<void> take_tables(const TailOptions& options, const SqlClient& sql, const LogHook& log);
  Result<void> check_matches(const TableMatch& match, const std::vector<std::string>& existing) const;
  Result<std::string> why_not_comparable(const std::vector<Comparison>& comparisons,
                                         const std::vector<query::Field>& fields, const std::string& table,
                                         const SqlClient& sql) const;
  Result<void> check_query(const TableQuery& query, const std::vector<std::string>& existing,
                           const TailOptions& options, const SqlClient& sql) const;
  void tell_what_is_left_out(const std::vector<std::string>& existing, const LogHook& log) const;

  std::string keyspace_;
  std::vector<std::string> shards_;
  std::vector<std::string> tables_;
  TableChoice choice_;
};

}  // namespace vstream
