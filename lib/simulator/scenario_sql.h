#pragma once

#include <optional>

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// Reads one entry of "sql": {"query": pattern, "target": "ks:shard@type"} with {"columns": […], "rows": [[…]]} or
/// {"error": code, "text": "…"}; "times" and "delay" if wanted.
SqlRule read_sql_rule(const JsonNode& node);

/// Whether the rule is for this statement. Case and white space of the statement do not matter.
bool matches(const SqlRule& rule, const vtgate::ExecuteRequest& request);

}  // namespace vstream::simulator
