#include "simulator/replay.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "simulator/start_rules.h"

namespace vstream::simulator {
namespace {

struct Names {
  std::set<std::string> shards;
  std::set<std::string> later_shards;
  std::set<std::string> tables;
};

std::string bare(std::string_view table, std::string_view keyspace) {
  if (table.starts_with(keyspace) && table.substr(keyspace.size()).starts_with('.')) {
    table.remove_prefix(keyspace.size() + 1);
  }
  return std::string(table);
}

// Everything that an event names. `serving`: its VGTID tells which shards serve from the start.
void collect(std::map<std::string, Names>& keyspaces, const binlogdata::VEvent& event, bool serving) {
  if (!event.keyspace().empty() && !event.shard().empty()) {
    keyspaces[event.keyspace()].later_shards.insert(event.shard());
  }
  for (const binlogdata::ShardGtid& entry : event.vgtid().shard_gtids()) {
    Names& names = keyspaces[entry.keyspace()];
    (serving ? names.shards : names.later_shards).insert(entry.shard());
  }
  for (const std::string& table : {event.field_event().table_name(), event.row_event().table_name()}) {
    if (!table.empty()) keyspaces[event.keyspace()].tables.insert(bare(table, event.keyspace()));
  }
}

Keyspace to_keyspace(std::string name, Names names) {
  if (names.shards.empty()) names.shards = std::exchange(names.later_shards, {});  // no VGTID to go by
  for (const std::string& shard : names.shards) names.later_shards.erase(shard);
  return {.name = std::move(name),
          .shards = {names.shards.begin(), names.shards.end()},
          .later_shards = {names.later_shards.begin(), names.later_shards.end()},
          .tables = {names.tables.begin(), names.tables.end()}};
}

std::string without_flavor(const std::string& gtid) {
  std::size_t slash = gtid.find('/');
  return slash == gtid.npos ? "" : gtid.substr(slash + 1);
}

}  // namespace

Result<std::unique_ptr<Replay>> Replay::open(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("cannot open the transcript \"{}\": {}", path, std::generic_category().message(errno)));
  }
  google::protobuf::util::JsonParseOptions strict;
  strict.ignore_unknown_fields = false;
  std::vector<vtgate::VStreamResponse> responses;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    auto status = google::protobuf::util::JsonStringToMessage(line, &responses.emplace_back(), strict);
    if (!status.ok()) {
      return fail(ErrorCode::kInvalidFile,
                  fmt::format("line {} of the transcript \"{}\" is not a VStreamResponse in protobuf JSON: {}", number,
                              path, std::string_view(status.message())));
    }
  }
  if (file.bad()) return fail(ErrorCode::kInvalidFile, fmt::format("cannot read the transcript \"{}\"", path));
  if (responses.empty()) return fail(ErrorCode::kInvalidFile, fmt::format("the transcript \"{}\" is empty", path));
  return std::unique_ptr<Replay>(new Replay(std::move(responses)));
}

Replay::Replay(std::vector<vtgate::VStreamResponse> responses) : responses_(std::move(responses)) {
  std::map<std::string, Names> keyspaces;
  bool serving = true;
  for (const vtgate::VStreamResponse& response : responses_) {
    for (const binlogdata::VEvent& event : response.events()) {
      collect(keyspaces, event, serving);
      if (event.has_vgtid()) serving = false;
      for (const binlogdata::ShardGtid& entry : event.vgtid().shard_gtids()) {
        executed_[{entry.keyspace(), entry.shard()}] = without_flavor(entry.gtid());  // "" while not started
      }
    }
  }
  for (auto& [name, names] : keyspaces) topology_.keyspaces.push_back(to_keyspace(name, std::move(names)));
}

ServerVariables Replay::variables(const Tablet& tablet) const {
  auto it = executed_.find({tablet.keyspace, tablet.shard});
  return {.executed = it == executed_.end() ? "" : it->second, .purged = "", .server_uuid = tablet_uuid(tablet.alias)};
}

grpc::Status Replay::stream(const vtgate::VStreamRequest& request, Outlet& outlet) {
  auto shards = begin_stream(request, topology_);
  if (!shards) return after_hunt(shards.error(), outlet);
  if (shards->shard_gtids().empty()) return grpc::Status::OK;
  for (const vtgate::VStreamResponse& response : responses_) {
    if (!outlet.send(response)) return grpc::Status::OK;
  }
  while (outlet.wait(outlet.doorbell().rings())) {
  }
  return grpc::Status::OK;
}

}  // namespace vstream::simulator
