#include "simulator/sql_target.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "simulator/sql_text.h"

namespace vstream::simulator {
namespace {

std::optional<topodata::TabletType> parse_type(std::string_view text) {
  for (int number = topodata::PRIMARY; number <= topodata::TabletType_MAX; ++number) {
    auto type = static_cast<topodata::TabletType>(number);
    if (same_word(text, type_name(type))) return type;
  }
  if (same_word(text, "master")) return topodata::PRIMARY;
  return std::nullopt;
}

}  // namespace

vtrpc::RPCError sql_error(vtrpc::Code code, std::string message) {
  vtrpc::RPCError error;
  error.set_code(code);
  error.set_message(std::move(message));
  return error;
}

vtrpc::RPCError unknown_database(std::string_view name) {
  return sql_error(vtrpc::NOT_FOUND, fmt::format("VT05003: unknown database '{}' in vschema", name));
}

std::expected<SqlTarget, vtrpc::RPCError> SqlTarget::parse(std::string_view text, const Topology& topology) {
  SqlTarget target;
  if (std::size_t bar = text.find('|'); bar != text.npos) {
    target.alias = text.substr(bar + 1);
    text = text.substr(0, bar);
  }
  std::size_t at = text.rfind('@');
  std::string_view place = text.substr(0, at);
  std::size_t cut = place.find_first_of(":/");
  std::string_view name = place.substr(0, cut);
  if (!name.empty()) {
    target.keyspace = topology.find(name);
    if (target.keyspace == nullptr) return std::unexpected(unknown_database(name));
  }
  if (cut != place.npos) target.shard = place.substr(cut + 1);
  if (at != text.npos) {
    auto type = parse_type(text.substr(at + 1));
    if (!type) {
      return std::unexpected(sql_error(vtrpc::INVALID_ARGUMENT,
                                       fmt::format("No partition found for tabletType unknown in keyspace {}", name)));
    }
    target.type = *type;
  }
  return target;
}

std::expected<Tablet, vtrpc::RPCError> SqlTarget::tablet(const Topology& topology) const {
  if (keyspace == nullptr && topology.keyspaces.empty()) {
    return std::unexpected(sql_error(vtrpc::FAILED_PRECONDITION, "VT09005: no database selected"));
  }
  const Keyspace& place = keyspace == nullptr ? topology.keyspaces.front() : *keyspace;
  Tablet found = find_tablet(topology, place.name,
                             shard.empty() && !place.shards.empty() ? place.shards.front() : shard, type, alias);
  if (!found.alias.empty()) return found;
  return std::unexpected(
      sql_error(vtrpc::UNAVAILABLE,
                fmt::format("target: {}: no healthy tablet available for 'keyspace:\"{}\" shard:\"{}\" tablet_type:{}'",
                            found.target(), found.keyspace, found.shard, type_name(found.type))));
}

}  // namespace vstream::simulator
