#pragma once

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// "ks/shard" of the topology with its server, or a problem and a place without names.
Place read_place(const JsonNode& node, std::string_view text, const Scenario& scenario);

/// {"positions": {"ks/shard": position}, "tables": ["t"] or "filter": {match: filter}, "tables_to_copy": ["t"],
/// "tablet_type": "replica", "flags": {name: value}}, each of them optional.
Expectation read_expectation(const JsonNode& node, const Scenario& scenario);

}  // namespace vstream::simulator
