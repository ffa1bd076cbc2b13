#include "simulator/scenario_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/scenario_table.h"

namespace vstream::simulator {
namespace {

constexpr std::string_view kFlavor = "MySQL56/";

// What a tablet or its shard says of its server; the tablet wins.
GtidSet read_set(const JsonNode& tablet, const JsonNode& shard, std::string_view key, const Uuid& server) {
  auto node = tablet.find(key);
  if (!node) node = shard.find(key);
  if (!node) return {};
  std::string text = read_gtid(*node, server);
  auto set = GtidSet::parse(std::string_view(text).substr(std::min(kFlavor.size(), text.size())));
  if (!text.empty() && (!text.starts_with(kFlavor) || !set)) {
    node->complain(fmt::format("\"{}\" is no set of GTIDs: write 5, \"3-5\" or \"MySQL56/…\"", text));
    return {};
  }
  return set ? *set : GtidSet();
}

topodata::TabletType read_type(const JsonNode& node) {
  constexpr topodata::TabletType kTypes[] = {topodata::PRIMARY, topodata::REPLICA, topodata::RDONLY};
  return kTypes[node.choice({"primary", "replica", "rdonly"})];
}

class TopologyReader {
 public:
  explicit TopologyReader(Scenario& scenario) : scenario_(scenario) {}

  void read_keyspace(const std::string& name, const JsonNode& node) {
    node.only({"shards", "tables"});
    Keyspace& keyspace = scenario_.topology.keyspaces.emplace_back(Keyspace{.name = name});
    if (auto shards = node.need("shards")) read_shards(*shards, keyspace);
    if (auto tables = node.find("tables")) {
      for (const auto& [table, columns] : tables->members()) {
        keyspace.tables.push_back(table);
        scenario_.tables.emplace(std::pair(name, table), read_table(columns, name, table));
      }
    }
    std::ranges::sort(keyspace.shards);
    std::ranges::sort(keyspace.later_shards);
    std::ranges::sort(keyspace.tables);
  }

 private:
  void read_shards(const JsonNode& shards, Keyspace& keyspace) {
    static const JsonNode::Json kDefaults = JsonNode::Json::object();
    if (shards.json().is_array()) {
      for (const JsonNode& name : shards.items()) {
        Problems none;
        keyspace.shards.push_back(name.text());
        read_shard(JsonNode(kDefaults, name.path(), none), keyspace.name, keyspace.shards.back());
      }
    } else {
      for (const auto& [name, shard] : shards.members()) {
        shard.only({"serving", "server", "executed", "purged", "tablets"});
        auto serving = shard.find("serving");
        (serving && !serving->boolean() ? keyspace.later_shards : keyspace.shards).push_back(name);
        read_shard(shard, keyspace.name, name);
      }
    }
    if (keyspace.shards.empty()) shards.complain("a keyspace has at least one serving shard: [\"0\"]");
  }

  void read_shard(const JsonNode& shard, const std::string& keyspace, const std::string& name) {
    static const JsonNode::Json kDefaults = {"primary", "replica"};
    ++shards_;
    std::size_t number = 100 * shards_;
    Uuid server = Uuid::parse(tablet_uuid(tablet_alias(number + 1))).value();
    if (auto node = shard.find("server")) {
      auto uuid = Uuid::parse(node->text());
      if (uuid) {
        server = *uuid;
      } else {
        node->complain("this is no UUID of a server");
      }
    }
    scenario_.servers[{keyspace, name}] = server;
    Problems none;
    auto declared = shard.find("tablets");
    if (declared && declared->json().empty()) declared->complain("a shard has at least one tablet");
    for (const JsonNode& tablet : (declared ? *declared : JsonNode(kDefaults, shard.path(), none)).items()) {
      read_tablet(tablet, shard, {.keyspace = keyspace, .shard = name, .alias = tablet_alias(++number)}, server);
    }
  }

  void read_tablet(const JsonNode& node, const JsonNode& shard, Tablet tablet, const Uuid& server) {
    if (node.json().is_string()) {
      tablet.type = read_type(node);
    } else if (auto type = node.need("type")) {
      node.only({"type", "alias", "serving", "executed", "purged"});
      tablet.type = read_type(*type);
      if (auto alias = node.find("alias")) tablet.alias = alias->text();
      if (auto serving = node.find("serving")) tablet.serving = serving->boolean();
    }
    bool primary = tablet.type == topodata::PRIMARY;
    Uuid own = primary ? server : Uuid::parse(tablet_uuid(tablet.alias)).value_or(Uuid{});
    Scenario::Server state{.uuid = own,
                           .executed = read_set(node, shard, "executed", server),
                           .purged = read_set(node, shard, "purged", server)};
    if (!scenario_.tablets.emplace(tablet.alias, std::move(state)).second) {
      node.complain(fmt::format("there is another tablet \"{}\"", tablet.alias));
    }
    scenario_.topology.tablets.push_back(std::move(tablet));
  }

  Scenario& scenario_;
  std::size_t shards_ = 0;
};

}  // namespace

void read_topology(const JsonNode& keyspaces, Scenario& scenario) {
  TopologyReader reader(scenario);
  for (const auto& [name, keyspace] : keyspaces.members()) reader.read_keyspace(name, keyspace);
  if (scenario.topology.keyspaces.empty()) keyspaces.complain("there has to be a keyspace");
  std::ranges::sort(scenario.topology.keyspaces, {}, &Keyspace::name);
}

std::string read_gtid(const JsonNode& node, const Uuid& server) {
  if (node.json().is_number()) {
    std::int64_t last = node.integer(0);
    return last == 0 ? std::string(kFlavor) : fmt::format("{}{}:1-{}", kFlavor, server.to_string(), last);
  }
  std::string text = node.text();
  if (text.empty() || text.find_first_not_of("0123456789-:") != text.npos) return text;
  return fmt::format("{}{}:{}", kFlavor, server.to_string(), text);
}

}  // namespace vstream::simulator
