#pragma once

#include <string>

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// Reads "keyspaces" into the topology, the servers, the tablets and the tables. What a tablet has executed stays empty
/// if the scenario does not say it.
void read_topology(const JsonNode& keyspaces, Scenario& scenario);

/// A position: 5 or "1-3:5" of that server, "current", "", or a text with a flavor as it is.
std::string read_gtid(const JsonNode& node, const Uuid& server);

}  // namespace vstream::simulator
