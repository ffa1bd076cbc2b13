#include "vtgate/topology.h"

#include <fmt/format.h>

#include <algorithm>

namespace vstream {
namespace {

std::unexpected<Error> odd_answer(std::string_view statement) {
  return fail(ErrorCode::kDecode, fmt::format("cannot read the answer to \"{}\"", statement),
              "is this server a VTGate that vstream supports (Vitess v21 or newer)?");
}

}  // namespace

std::string_view tablet_type_name(TabletType type) {
  switch (type) {
    case TabletType::kPrimary: return "PRIMARY";
    case TabletType::kReplica: return "REPLICA";
    case TabletType::kRdonly: return "RDONLY";
  }
  return "UNKNOWN";
}

std::string shard_target(const KeyspaceShard& shard, TabletType type) {
  std::string name(tablet_type_name(type));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return fmt::format("{}:{}@{}", shard.keyspace, shard.shard, name);
}

Result<std::vector<KeyspaceShard>> list_shards(const SqlClient& sql) {
  constexpr std::string_view kStatement = "show vitess_shards";
  const auto rows = sql.query("", kStatement);
  if (!rows) return std::unexpected(rows.error());
  std::vector<KeyspaceShard> shards;
  for (const auto& row : *rows) {
    const std::size_t slash = row.empty() ? std::string::npos : row[0].find('/');
    if (slash == std::string::npos) return odd_answer(kStatement);
    shards.push_back({.keyspace = row[0].substr(0, slash), .shard = row[0].substr(slash + 1)});
  }
  return shards;
}

Result<std::vector<Tablet>> list_tablets(const SqlClient& sql) {
  constexpr std::string_view kStatement = "show vitess_tablets";
  const auto rows = sql.query("", kStatement);
  if (!rows) return std::unexpected(rows.error());
  std::vector<Tablet> tablets;
  for (const auto& row : *rows) {
    if (row.size() < 6) return odd_answer(kStatement);
    tablets.push_back({.cell = row[0],
                       .keyspace = row[1],
                       .shard = row[2],
                       .type = row[3],
                       .serving = row[4] == "SERVING",
                       .alias = row[5]});
  }
  return tablets;
}

Result<std::vector<std::string>> list_tables(const SqlClient& sql, const KeyspaceShard& shard, TabletType type) {
  constexpr std::string_view kStatement = "show full tables";
  const auto rows = sql.query(shard_target(shard, type), kStatement);
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> tables;
  for (const auto& row : *rows) {
    if (row.size() < 2) return odd_answer(kStatement);
    if (row[1] == "BASE TABLE") tables.push_back(row[0]);
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

Result<std::vector<query::Field>> table_fields(const SqlClient& sql, const KeyspaceShard& shard,
                                               std::string_view table) {
  return sql.fields(shard_target(shard, TabletType::kPrimary),
                    fmt::format("select * from {} limit 0", quoted_name(table)));
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "`";
  for (const char c : name) quoted.append(c == '`' ? 2 : 1, c);
  return quoted + "`";
}

}  // namespace vstream
