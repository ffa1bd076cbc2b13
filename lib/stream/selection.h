#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"
#include "vstream/tail.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {

/// What the selectors mean on this cluster: one keyspace, its selected shards, their selected tables.
class Selection {
 public:
  /// Asks VTGate what exists, and checks the selectors, the shards of the start positions and the tablets against it.
  /// The selectors are of one keyspace. Errors: kUsage (no selector), kUnknownKeyspace, kUnknownShard, kUnknownTable,
  /// kNoTablet, kInvalidPosition, and those of SqlClient::query.
  static Result<Selection> resolve(const TailOptions& options, const SqlClient& sql, const LogHook& log);

  /// For a cluster that is known; nothing is asked or checked.
  Selection(std::string keyspace, std::vector<std::string> shards, std::vector<std::string> tables,
            std::vector<Selector> selectors);

  const std::string& keyspace() const { return keyspace_; }
  /// The streamed shards, in byte order.
  const std::vector<std::string>& shards() const { return shards_; }
  /// The selected tables that exist, in byte order, without internal ones.
  const std::vector<std::string>& tables() const { return tables_; }
  /// True when a selector takes every table, also those that are made later.
  bool takes_all_tables() const { return all_tables_; }
  /// True when a selector names a shard.
  bool names_shards() const;
  bool wants(std::string_view shard, std::string_view table) const;
  /// "commerce", "customer/-80": for people.
  std::string to_string() const;

 private:
  Selection() = default;
  Result<void> take_shards(const TailOptions& options, const SqlClient& sql);
  Result<void> keep_positioned_shards(const TailOptions& options, const LogHook& log);
  Result<void> check_tablets(TabletType type, const std::vector<Tablet>& tablets, const LogHook& log) const;
  Result<void> take_tables(const TailOptions& options, const SqlClient& sql);

  std::string keyspace_;
  std::vector<std::string> shards_;
  std::vector<std::string> tables_;
  bool all_tables_ = false;
  std::vector<Selector> selectors_;
};

}  // namespace vstream
