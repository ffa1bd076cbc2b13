#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "vstream/checkpoint.h"
#include "vtgate/copy_cursor.h"

namespace vstream {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
constexpr int kMaxDepth = 16;  // checkpoint, vgtid, shards, entry, cursors, cursor, lastpk, fields, field

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::kInvalidPosition, "the checkpoint is damaged: " + std::move(message));
}

// Nothing if the text is not JSON, or nests deeper than any checkpoint.
ordered_json parse(std::string_view text) {
  bool too_deep = false;
  auto root = ordered_json::parse(
      text,
      [&](int depth, ordered_json::parse_event_t, ordered_json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return !too_deep;
      },
      /*allow_exceptions=*/false);
  return too_deep ? ordered_json(ordered_json::value_t::discarded) : root;
}

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json cursor_json(const UnfinishedTable& table) {
  std::string json;
  const auto cursor = usable_cursor(table.cursor);
  if (!cursor || !google::protobuf::util::MessageToJsonString(*cursor, &json).ok()) {
    return {{"tableName", table.table}};
  }
  return ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
}

Result<UnfinishedTable> parse_cursor(const ordered_json& value, std::string shard) {
  const google::protobuf::LogSilencer errors_are_values;
  binlogdata::TableLastPK cursor;
  if (!google::protobuf::util::JsonStringToMessage(dump(value), &cursor).ok() || cursor.table_name().empty()) {
    return invalid(fmt::format("shard \"{}\" has a cursor that cannot be read", shard));
  }
  UnfinishedTable table{.shard = std::move(shard), .table = cursor.table_name()};
  if (!cursor.has_lastpk()) return table;
  table.cursor = cursor.SerializeAsString();
  if (usable_cursor(table.cursor)) return table;
  return invalid(
      fmt::format("the cursor of table \"{}\" on shard \"{}\" does not fit its own fields", table.table, table.shard));
}

// Takes the cursors out of an entry of the VGTID, which parse_vgtid() does not have.
Result<void> take_cursors(ordered_json& entry, std::vector<UnfinishedTable>& unfinished) {
  if (!entry.is_object()) return {};
  for (const char* const name : {"tablePKs", "table_p_ks", "table_pks"}) {
    const auto cursors = entry.find(name);
    if (cursors == entry.end()) continue;
    const auto shard = entry.find("shard");
    if (!cursors->is_array() || shard == entry.end() || !shard->is_string()) return invalid("it has odd cursors");
    for (const ordered_json& cursor : *cursors) {
      auto table = parse_cursor(cursor, shard->get<std::string>());
      if (!table) return std::unexpected(std::move(table.error()));
      unfinished.push_back(*std::move(table));
    }
    entry.erase(name);
  }
  return {};
}

Result<std::vector<std::string>> parse_names(const ordered_json& root, const char* member) {
  std::vector<std::string> names;
  const auto list = root.find(member);
  if (list == root.end()) return names;
  if (!list->is_array()) return invalid(fmt::format("\"{}\" is not a list", member));
  for (const ordered_json& name : *list) {
    if (!name.is_string()) return invalid(fmt::format("\"{}\" holds something that is not a name", member));
    names.push_back(name.get<std::string>());
  }
  return names;
}

// Every cursor is of a table that is copied, and of a shard that has a position.
Result<void> check(const Checkpoint& checkpoint) {
  const std::string& keyspace = checkpoint.position.front().keyspace;
  for (const ShardPosition& shard : checkpoint.position) {
    if (shard.keyspace != keyspace)
      return invalid(fmt::format("it is of keyspaces \"{}\" and \"{}\"", keyspace, shard.keyspace));
  }
  if (!checkpoint.copy) return {};
  for (const UnfinishedTable& table : checkpoint.copy->unfinished) {
    if (std::ranges::find(checkpoint.copy->tables, table.table) == checkpoint.copy->tables.end()) {
      return invalid(fmt::format("it has a cursor of table \"{}\", which is not copied", table.table));
    }
  }
  return {};
}

}  // namespace

std::string checkpoint_to_json(const Checkpoint& checkpoint) {
  ordered_json shards = ordered_json::array();
  for (const ShardPosition& position : checkpoint.position) {
    ordered_json entry = {{"keyspace", position.keyspace}, {"shard", position.shard}, {"gtid", position.gtid}};
    ordered_json cursors = ordered_json::array();
    if (checkpoint.copy) {
      for (const UnfinishedTable& table : checkpoint.copy->unfinished) {
        if (table.shard == position.shard) cursors.push_back(cursor_json(table));
      }
    }
    if (!cursors.empty()) entry["tablePKs"] = std::move(cursors);
    shards.push_back(std::move(entry));
  }
  ordered_json root = {{"vgtid", {{"shardGtids", std::move(shards)}}}, {"tables", checkpoint.tables}};
  if (checkpoint.copy) root["copy_tables"] = checkpoint.copy->tables;
  return dump(root);
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  if (text.size() > kMaxBytes)
    return invalid(fmt::format("it has {} bytes, at most {} are read", text.size(), kMaxBytes));
  ordered_json root = parse(text);
  if (!root.is_object() || !root.contains("vgtid")) return invalid("it is not a JSON object with a \"vgtid\"");
  ordered_json vgtid = root["vgtid"];
  if (vgtid.is_object() && vgtid.contains("shardGtids")) vgtid = ordered_json(vgtid["shardGtids"]);
  if (!vgtid.is_array()) return invalid("its \"vgtid\" has no list of shards");
  CopyState copy;
  for (ordered_json& entry : vgtid) {
    if (auto taken = take_cursors(entry, copy.unfinished); !taken) return std::unexpected(std::move(taken.error()));
  }
  auto position = parse_vgtid(dump(vgtid));
  if (!position) return std::unexpected(std::move(position.error()));
  auto copied = parse_names(root, "copy_tables");
  if (!copied) return std::unexpected(std::move(copied.error()));
  auto tables = parse_names(root, "tables");
  if (!tables) return std::unexpected(std::move(tables.error()));
  Checkpoint checkpoint{.position = *std::move(position), .tables = *std::move(tables)};
  copy.tables = *std::move(copied);
  if (root.contains("copy_tables") || !copy.unfinished.empty()) checkpoint.copy = std::move(copy);
  if (auto fits = check(checkpoint); !fits) return std::unexpected(std::move(fits.error()));
  return checkpoint;
}

}  // namespace vstream
