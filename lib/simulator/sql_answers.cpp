#include "simulator/sql_answers.h"

#include <fmt/format.h>

#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/sql_target.h"
#include "simulator/sql_text.h"

namespace vstream::simulator {
namespace {

using Answer = std::expected<query::QueryResult, vtrpc::RPCError>;
using Tokens = std::span<const std::string>;

constexpr std::uint32_t kUtf8mb4 = 255;

query::QueryResult table_of(const std::vector<std::string>& columns) {
  query::QueryResult result;
  for (const std::string& column : columns) {
    query::Field& field = *result.add_fields();
    field.set_name(column);
    field.set_type(query::VARCHAR);
    field.set_charset(kUtf8mb4);
  }
  return result;
}

// What a client gets of the columns unless it asks for all.
void leave_names_and_types(query::QueryResult& result) {
  for (query::Field& field : *result.mutable_fields()) {
    query::Field left;
    left.set_name(field.name());
    left.set_type(field.type());
    field = std::move(left);
  }
}

void add_row(query::QueryResult& result, std::initializer_list<std::string_view> cells) {
  query::Row& row = *result.add_rows();
  for (std::string_view cell : cells) {
    row.add_lengths(static_cast<std::int64_t>(cell.size()));
    row.mutable_values()->append(cell);
  }
}

// Takes the words off the front, if they are there.
bool take(Tokens& tokens, std::initializer_list<std::string_view> words) {
  if (tokens.size() < words.size()) return false;
  std::size_t i = 0;
  for (std::string_view word : words) {
    if (!same_word(tokens[i++], word)) return false;
  }
  tokens = tokens.subspan(words.size());
  return true;
}

std::optional<Answer> show_shards(Tokens rest, const Topology& topology) {
  std::string pattern = "%";
  if (take(rest, {"like"})) {
    auto text = rest.empty() ? std::nullopt : string_of(rest.front());
    if (!text) return std::nullopt;
    pattern = *text;
    rest = rest.subspan(1);
  }
  if (!rest.empty()) return std::nullopt;
  query::QueryResult result = table_of({"Shards"});
  for (const Keyspace& keyspace : topology.keyspaces) {
    for (const std::string& shard : keyspace.shards) {
      std::string name = fmt::format("{}/{}", keyspace.name, shard);
      if (like(name, pattern)) add_row(result, {name});
    }
  }
  return result;
}

Answer show_keyspaces(const Topology& topology) {
  query::QueryResult result = table_of({"Keyspace", "Sharded", "Foreign Key", "Comment"});
  for (const Keyspace& keyspace : topology.keyspaces) {
    // One shard that is the whole range: what an unsharded keyspace has.
    bool whole = keyspace.shards.size() == 1 && (keyspace.shards[0] == "0" || keyspace.shards[0] == "-");
    add_row(result, {keyspace.name, whole ? "false" : "true", "unmanaged", ""});
  }
  return result;
}

Answer show_tablets(const Topology& topology) {
  query::QueryResult result =
      table_of({"Cell", "Keyspace", "Shard", "TabletType", "State", "Alias", "Hostname", "PrimaryTermStartTime"});
  for (const Tablet& tablet : tablets(topology)) {
    bool primary = tablet.type == topodata::PRIMARY;
    add_row(result,
            {kCell, tablet.keyspace, tablet.shard, type_name(tablet.type), tablet.serving ? "SERVING" : "NOT_SERVING",
             tablet.alias, "localhost", primary ? "2026-01-01T00:00:00Z" : ""});
  }
  return result;
}

// `rest` is what follows TABLES.
std::optional<Answer> show_tables(Tokens rest, bool full, const SqlTarget& target, const Topology& topology) {
  const Keyspace* keyspace = target.keyspace;
  if (take(rest, {"from"}) || take(rest, {"in"})) {
    if (rest.size() != 1) return std::nullopt;
    keyspace = topology.find(rest.front());
    if (keyspace == nullptr) return std::unexpected(unknown_database(rest.front()));
  } else if (!rest.empty()) {
    return std::nullopt;
  } else if (keyspace == nullptr) {
    return std::unexpected(sql_error(vtrpc::FAILED_PRECONDITION, "VT09005: no database selected"));
  } else if (auto tablet = target.tablet(topology); !tablet) {
    return std::unexpected(tablet.error());
  }
  std::vector<std::string> columns{fmt::format("Tables_in_{}", keyspace->name)};
  if (full) columns.emplace_back("Table_type");
  query::QueryResult result = table_of(columns);
  for (const std::string& table : keyspace->tables) {
    if (full) {
      add_row(result, {table, "BASE TABLE"});
    } else {
      add_row(result, {table});
    }
  }
  return result;
}

std::optional<std::string> variable(std::string_view name, const ServerVariables& server) {
  for (std::string_view prefix : {"@@global.", "@@"}) {
    if (!same_word(name.substr(0, prefix.size()), prefix)) continue;
    std::string_view bare = name.substr(prefix.size());
    if (same_word(bare, "gtid_executed")) return server.executed;
    if (same_word(bare, "gtid_purged")) return server.purged;
    if (same_word(bare, "server_uuid")) return server.server_uuid;
    if (same_word(bare, "binlog_row_image")) return "FULL";
    if (same_word(bare, "binlog_row_value_options")) return "";
  }
  return std::nullopt;
}

// `rest` is what follows SELECT: variables with commas between them, each with an alias or not.
std::optional<Answer> select_variables(Tokens rest, const SqlTarget& target, const Backend& backend) {
  auto tablet = target.tablet(backend.topology());
  ServerVariables server;
  if (tablet) server = backend.variables(*tablet);
  std::vector<std::string> columns, values;
  while (!rest.empty()) {
    auto value = variable(rest.front(), server);
    if (!value) return std::nullopt;
    std::string column = rest.front();
    rest = rest.subspan(1);
    take(rest, {"as"});
    if (!rest.empty() && rest.front() != ",") {
      column = rest.front();
      rest = rest.subspan(1);
    }
    columns.push_back(std::move(column));
    values.push_back(std::move(*value));
    if (rest.empty()) break;
    if (!take(rest, {","}) || rest.empty()) return std::nullopt;
  }
  if (columns.empty()) return std::nullopt;
  if (!tablet) return std::unexpected(tablet.error());
  query::QueryResult result = table_of(columns);
  query::Row& row = *result.add_rows();
  for (const std::string& value : values) {
    row.add_lengths(static_cast<std::int64_t>(value.size()));
    row.mutable_values()->append(value);
  }
  return result;
}

// `rest` is what follows SELECT: `* from TABLE limit 0`, which tells the columns.
std::optional<Answer> select_no_rows(Tokens rest, const SqlTarget& target, const Backend& backend) {
  if (!take(rest, {"*", "from"}) || rest.size() != 3 || target.keyspace == nullptr) return std::nullopt;
  const TableSchema* const schema = backend.schema(target.keyspace->name, rest.front());
  rest = rest.subspan(1);
  if (schema == nullptr || !take(rest, {"limit", "0"})) return std::nullopt;
  query::QueryResult result;
  result.mutable_fields()->Add(schema->fields.begin(), schema->fields.end());
  return result;
}

// None if it is not one of our statements.
std::optional<Answer> answer(Tokens tokens, const SqlTarget& target, const Backend& backend) {
  const Topology& topology = backend.topology();
  if (take(tokens, {"show", "vitess_shards"})) return show_shards(tokens, topology);
  if (take(tokens, {"show", "vschema", "keyspaces"}) && tokens.empty()) return show_keyspaces(topology);
  if (take(tokens, {"show", "vitess_tablets"}) && tokens.empty()) return show_tablets(topology);
  if (take(tokens, {"show", "tables"})) return show_tables(tokens, false, target, topology);
  if (take(tokens, {"show", "full", "tables"})) return show_tables(tokens, true, target, topology);
  // The collations of columns: nothing is known of any table.
  if (take(tokens,
           {"select", "table_name", ",", "column_name", ",", "collation_name", "from", "information_schema.columns"})) {
    return table_of({"TABLE_NAME", "COLUMN_NAME", "COLLATION_NAME"});
  }
  if (!take(tokens, {"select"})) return std::nullopt;
  auto columns = select_no_rows(tokens, target, backend);
  return columns ? columns : select_variables(tokens, target, backend);
}

}  // namespace

vtgate::ExecuteResponse answer_sql(const vtgate::ExecuteRequest& request, const Backend& backend) {
  vtgate::ExecuteResponse response;
  *response.mutable_session() = request.session();
  auto target = SqlTarget::parse(request.session().target_string(), backend.topology());
  if (!target) {
    *response.mutable_error() = target.error();
    return response;
  }
  std::vector<std::string> tokens = sql_tokens(request.query().sql());
  std::optional<Answer> result = answer(tokens, *target, backend);
  if (!result) {
    *response.mutable_error() = sql_error(
        vtrpc::INVALID_ARGUMENT, fmt::format("the simulator does not know this statement: {}", request.query().sql()));
  } else if (!*result) {
    *response.mutable_error() = result->error();
  } else {
    *response.mutable_result() = std::move(**result);
    if (request.session().options().included_fields() != query::ExecuteOptions::ALL) {
      leave_names_and_types(*response.mutable_result());
    }
  }
  return response;
}

}  // namespace vstream::simulator
