#pragma once

#include <vector>

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// The declared table of the keyspace, or a problem and null.
const TableSchema* read_table_name(const JsonNode& name, const std::string& keyspace, const Scenario& scenario);

/// A list of events in their short forms ("begin", {"insert": "t", "row": […]}, …) or in protobuf JSON (with "type").
void read_events(const JsonNode& list, const Place& place, const Scenario& scenario, std::vector<ScenarioEvent>& out);

/// Where a shard is: a position (see read_gtid), or {"gtid": position, "copying": {"t": null | [] | [1]}}: the entries
/// of tables, with the name only, a cursor of no rows, or the key of the last row.
binlogdata::ShardGtid read_position(const JsonNode& node, const Place& place, const Scenario& scenario);

/// An event without anything to read: the type, and whether time and GTID belong to it.
ScenarioEvent stamped_event(binlogdata::VEventType type);
/// The shard moves to its transaction `place.number`.
ScenarioEvent position_event(const Place& place);
ScenarioEvent ddl_event(const std::string& statement);

}  // namespace vstream::simulator
