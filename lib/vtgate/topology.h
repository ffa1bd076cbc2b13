#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vstream/connection.h"
#include "vstream/error.h"
#include "vtgate/sql.h"

namespace vstream {

struct KeyspaceShard {
  std::string keyspace;
  std::string shard;
};

struct Tablet {
  std::string cell;
  std::string keyspace;
  std::string shard;
  std::string type;  ///< upper case, as VTGate prints it
  bool serving = false;
  std::string alias;
};

/// "PRIMARY", "REPLICA", "RDONLY".
std::string_view tablet_type_name(TabletType type);

/// "customer:-80@replica": the target of one shard's tablets.
std::string shard_target(const KeyspaceShard& shard, TabletType type);

/// Each asks VTGate one question. Errors: those of SqlClient::query; kDecode for an answer of another shape.
/// Serving shards of all keyspaces (SHOW VITESS_SHARDS).
Result<std::vector<KeyspaceShard>> list_shards(const SqlClient& sql);
/// What VTGate's health check sees (SHOW VITESS_TABLETS).
Result<std::vector<Tablet>> list_tablets(const SqlClient& sql);
/// The base tables of a shard in byte order.
Result<std::vector<std::string>> list_tables(const SqlClient& sql, const KeyspaceShard& shard, TabletType type);

/// The columns of a table on a shard's primary, with their flags.
Result<std::vector<query::Field>> table_fields(const SqlClient& sql, const KeyspaceShard& shard,
                                               std::string_view table);
/// "`a``b`": a name in SQL.
std::string quoted_name(std::string_view name);

}  // namespace vstream
