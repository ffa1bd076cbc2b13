#pragma once

#include <map>

#include "simulator/json_node.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// Reads the scripts of "calls". Transactions without a number are numbered on, shard by shard, through all of them.
void read_calls(const JsonNode& calls, Scenario& scenario);

/// All transactions that the scripts speak of, by shard: what a server has executed at least.
std::map<NameInKeyspace, GtidSet> transactions_in(const Scenario& scenario);

}  // namespace vstream::simulator
