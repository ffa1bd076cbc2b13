#include "simulator/topology.h"

#include <fmt/format.h>

#include <algorithm>

namespace vstream::simulator {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

void add_tablets(std::vector<Tablet>& all, const std::string& keyspace, const std::vector<std::string>& shards) {
  for (const std::string& shard : shards) {
    std::size_t base = 100 * (all.size() / 2 + 1);
    all.push_back({keyspace, shard, topodata::PRIMARY, tablet_alias(base + 1)});
    all.push_back({keyspace, shard, topodata::REPLICA, tablet_alias(base + 2)});
  }
}

}  // namespace

bool Keyspace::has_shard(std::string_view shard) const {
  return std::ranges::find(shards, shard) != shards.end() ||
         std::ranges::find(later_shards, shard) != later_shards.end();
}

const Keyspace* Topology::find(std::string_view name) const {
  auto it = std::ranges::find(keyspaces, name, &Keyspace::name);
  return it == keyspaces.end() ? nullptr : &*it;
}

std::string Tablet::target() const { return fmt::format("{}.{}.{}", keyspace, shard, lower(type_name(type))); }

std::vector<Tablet> tablets(const Topology& topology) {
  if (!topology.tablets.empty()) return topology.tablets;
  std::vector<Tablet> all;
  for (const Keyspace& keyspace : topology.keyspaces) {
    add_tablets(all, keyspace.name, keyspace.shards);
    add_tablets(all, keyspace.name, keyspace.later_shards);
  }
  return all;
}

std::string tablet_alias(std::size_t number) { return fmt::format("{}-{:010}", kCell, number); }

std::string tablet_uuid(std::string_view alias) {
  return fmt::format("00000000-0000-0000-0000-{:0>12}", alias.substr(alias.rfind('-') + 1));
}

Tablet find_tablet(const Topology& topology, std::string_view keyspace, std::string_view shard,
                   topodata::TabletType type, std::string_view alias) {
  if (type == topodata::UNKNOWN) type = topodata::PRIMARY;
  for (Tablet& tablet : tablets(topology)) {
    if (!tablet.serving || tablet.keyspace != keyspace || tablet.shard != shard || tablet.type != type) continue;
    if (alias.empty() || tablet.alias == alias) return std::move(tablet);
  }
  return {.keyspace = std::string(keyspace), .shard = std::string(shard), .type = type, .alias = ""};
}

std::string type_name(topodata::TabletType type) {
  std::string name = topodata::TabletType_Name(type);
  return name.empty() ? std::to_string(type) : name;
}

}  // namespace vstream::simulator
