#include "simulator/scenario.h"

#include <fmt/format.h>

#include <expected>
#include <set>
#include <utility>

#include "simulator/json_node.h"
#include "simulator/scenario_sql.h"
#include "simulator/scenario_steps.h"
#include "simulator/scenario_topology.h"

namespace vstream::simulator {
namespace {

constexpr int kMostDepth = 100;  // printing JSON takes stack for every level
constexpr AfterLast kAfterLast[] = {AfterLast::kRepeat, AfterLast::kWait, AfterLast::kHang, AfterLast::kEnd};

// Servers of which the file does not say what they have executed have executed what the scripts speak of. Of the others
// one of each shard has to: no client could come back with what it was sent.
void fill_executed(Scenario& scenario, Problems& problems) {
  std::map<NameInKeyspace, GtidSet> seen = transactions_in(scenario);
  std::set<NameInKeyspace> known;
  for (const Tablet& tablet : scenario.topology.tablets) {
    Scenario::Server& server = scenario.tablets.at(tablet.alias);
    const NameInKeyspace shard{tablet.keyspace, tablet.shard};
    if (!server.executed.empty()) {
      if (server.executed.contains(seen[shard])) known.insert(shard);
      continue;
    }
    known.insert(shard);
    server.executed = seen[shard];
    server.executed.merge(server.purged);
    if (server.executed.empty()) server.executed.add(scenario.servers.at(shard), 1);
  }
  for (const auto& [shard, transactions] : seen) {
    if (known.contains(shard) || !scenario.servers.contains(shard)) continue;
    problems.add("$.keyspaces", fmt::format("no tablet of {}/{} has \"executed\" all that the calls speak of: {}",
                                            shard.first, shard.second, transactions.to_string()));
  }
}

void read_document(const JsonNode& root, Scenario& scenario) {
  root.only({"$schema", "about", "keyspaces", "rules", "sql", "calls", "after_last_call"});
  if (auto keyspaces = root.need("keyspaces")) read_topology(*keyspaces, scenario);
  if (auto rules = root.find("rules")) scenario.rules = rules->boolean();
  if (auto sql = root.find("sql")) {
    for (const JsonNode& rule : sql->items()) scenario.sql.push_back(read_sql_rule(rule));
  }
  if (auto calls = root.need("calls")) read_calls(*calls, scenario);
  if (auto after = root.find("after_last_call")) {
    scenario.after_last = kAfterLast[after->choice({"repeat", "wait", "hang", "end"})];
  }
}

// Error: what is wrong, and in which line and column.
std::expected<JsonNode::Json, std::string> parse_json(std::string_view text) {
  bool too_deep = false;
  auto look = [&](int depth, JsonNode::Json::parse_event_t /*event*/, const JsonNode::Json& /*value*/) {
    too_deep = too_deep || depth > kMostDepth;
    return !too_deep;
  };
  try {
    JsonNode::Json json = JsonNode::Json::parse(text, look);
    if (too_deep) return std::unexpected(fmt::format("it is more than {} deep", kMostDepth));
    return json;
  } catch (const JsonNode::Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: …"
    std::string_view what = error.what();
    what.remove_prefix(what.find("] ") == what.npos ? 0 : what.find("] ") + 2);
    return std::unexpected(std::string(what));
  }
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, std::string_view name) {
  auto json = parse_json(text);
  if (!json) {
    return fail(ErrorCode::kInvalidFile, fmt::format("the scenario \"{}\" is no JSON: {}", name, json.error()));
  }
  Scenario scenario;
  Problems problems;
  read_document(JsonNode(*json, "$", problems), scenario);
  if (problems.none()) fill_executed(scenario, problems);
  if (!problems.none()) {
    return fail(ErrorCode::kInvalidFile, fmt::format("the scenario \"{}\" is wrong:\n{}", name, problems.to_string()),
                "vstream-scenario(5) describes the format");
  }
  return Result<Scenario>(std::move(scenario));
}

}  // namespace vstream::simulator
