#include "simulator/scenario_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulator/copy_plan.h"
#include "simulator/scenario_sql.h"
#include "simulator/start_rules.h"
#include "simulator/stream_errors.h"

namespace vstream::simulator {
namespace {

constexpr std::chrono::milliseconds kCancelCheck{50};

// A scenario does not evaluate filters: only the names matter to the rules.
binlogdata::Filter names_of(const binlogdata::Filter& filter) {
  binlogdata::Filter out = filter;
  for (binlogdata::Rule& rule : *out.mutable_rules()) {
    std::string name;
    for (char c : rule.match()) name.append(c == '`' ? 2 : 1, c);
    rule.set_filter(rule.match().starts_with('/') ? "" : "select * from `" + name + "`");
  }
  return out;
}

bool is_for(const Script& script, const vtgate::VStreamRequest& request) {
  return script.keyspace.empty() || std::ranges::any_of(request.vgtid().shard_gtids(), [&](const auto& entry) {
           return entry.keyspace() == script.keyspace;
         });
}

}  // namespace

ScenarioPlayer::ScenarioPlayer(Scenario scenario, LogHook log, Doorbell& doorbell)
    : scenario_(std::move(scenario)), log_(std::move(log)), doorbell_(doorbell) {
  for (const Script& script : scenario_.calls) calls_left_.push_back(script.times);
  for (const SqlRule& rule : scenario_.sql) rules_left_.push_back(rule.times);
}

ServerVariables ScenarioPlayer::variables(const Tablet& tablet) const {
  const Scenario::Server& server = scenario_.tablets.at(tablet.alias);
  return {.executed = server.executed.to_string(),
          .purged = server.purged.to_string(),
          .server_uuid = server.uuid.to_string()};
}

const TableSchema* ScenarioPlayer::schema(std::string_view keyspace, std::string_view table) const {
  const auto found = scenario_.tables.find({std::string(keyspace), std::string(table)});
  return found != scenario_.tables.end() ? &found->second : nullptr;
}

std::expected<void, grpc::Status> ScenarioPlayer::check_start(const vtgate::VStreamRequest& request,
                                                              const binlogdata::ShardGtid& start) const {
  auto type = request.tablet_type() == topodata::UNKNOWN ? topodata::PRIMARY : request.tablet_type();
  std::optional<Tablet> serving;
  std::optional<grpc::Status> refused;
  for (const Tablet& tablet : scenario_.topology.tablets) {
    if (!tablet.serving || tablet.type != type) continue;
    if (tablet.keyspace != start.keyspace() || tablet.shard != start.shard()) continue;
    const Scenario::Server& server = scenario_.tablets.at(tablet.alias);
    auto position = read_start(start, tablet, server.executed, server.purged);
    if (position) serving = tablet;
    if (!position) refused = position.error();
  }
  if (!serving) return std::unexpected(refused.value_or(no_tablet(start, type)));
  const binlogdata::Filter filter = names_of(request.filter());
  auto names = TableFilter::make(request.has_filter() ? &filter : nullptr);
  if (!names) return std::unexpected(persistent_error(start, *serving, names.error()));
  std::vector<const TableSchema*> tables;
  for (const auto& [name, table] : scenario_.tables) {
    if (name.first == start.keyspace()) tables.push_back(&table);
  }
  auto plan = CopyPlan::make(start, *names, request.flags(), tables);
  if (!plan) return std::unexpected(persistent_error(start, *serving, plan.error()));
  return {};
}

std::expected<binlogdata::VGtid, grpc::Status> ScenarioPlayer::begin(const vtgate::VStreamRequest& request) const {
  if (!scenario_.rules) return resolve_positions(request.vgtid(), scenario_.topology).value_or(request.vgtid());
  auto shards = begin_stream(request, scenario_.topology);
  if (!shards) return shards;
  for (const binlogdata::ShardGtid& start : shards->shard_gtids()) {
    if (auto fits = check_start(request, start); !fits) return std::unexpected(fits.error());
  }
  return shards;
}

grpc::Status ScenarioPlayer::stream(const vtgate::VStreamRequest& request, Outlet& outlet) {
  auto shards = begin(request);
  if (!shards) {
    say(LogLevel::kInfo, fmt::format("a call was refused as VTGate does it: {}", shards.error().error_message()));
    return after_hunt(shards.error(), outlet);
  }
  if (shards->shard_gtids().empty()) return grpc::Status::OK;
  Turn turn = take_turn(request);
  AfterLast after = turn.script == nullptr ? AfterLast::kWait : scenario_.after_last;
  if (turn.script == nullptr || (turn.again && after != AfterLast::kRepeat)) {
    if (after != AfterLast::kEnd) play_idle(outlet, after == AfterLast::kWait);
    return grpc::Status::OK;
  }
  auto mismatch = [this](const std::string& text) {
    say(LogLevel::kError, text);
    std::lock_guard lock(mutex_);
    ++unexpected_;
  };
  return ScenarioCall(request, std::move(*shards), outlet, gate_, mismatch).play(*turn.script);
}

ScenarioPlayer::Turn ScenarioPlayer::take_turn(const vtgate::VStreamRequest& request) {
  std::lock_guard lock(mutex_);
  Turn turn{.script = nullptr, .again = true};
  for (std::size_t i = 0; i < scenario_.calls.size(); ++i) {
    if (!is_for(scenario_.calls[i], request)) continue;
    turn.script = &scenario_.calls[i];
    if (calls_left_[i] == 0) continue;
    --calls_left_[i];
    return {.script = turn.script, .again = false};
  }
  return turn;
}

const SqlRule* ScenarioPlayer::take_rule(const vtgate::ExecuteRequest& request) {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < scenario_.sql.size(); ++i) {
    if (rules_left_[i] == 0 || !matches(scenario_.sql[i], request)) continue;
    if (rules_left_[i]) --*rules_left_[i];
    return &scenario_.sql[i];
  }
  return nullptr;
}

std::optional<vtgate::ExecuteResponse> ScenarioPlayer::answer(const vtgate::ExecuteRequest& request,
                                                              grpc::ServerContext& context) {
  const SqlRule* rule = take_rule(request);
  if (rule == nullptr) return std::nullopt;
  const auto until = Doorbell::Clock::now() + rule->delay;
  while (!context.IsCancelled() && Doorbell::Clock::now() < until) {
    if (doorbell_.stopped_until(std::min(Doorbell::Clock::now() + kCancelCheck, until))) break;
  }
  vtgate::ExecuteResponse response = rule->response;
  *response.mutable_session() = request.session();
  return response;
}

void ScenarioPlayer::go() {
  gate_.open_once();
  doorbell_.ring();
}

std::size_t ScenarioPlayer::unexpected() const {
  std::lock_guard lock(mutex_);
  return unexpected_;
}

void ScenarioPlayer::say(LogLevel level, const std::string& text) {
  std::lock_guard lock(mutex_);
  if (log_) log_(level, text);
}

}  // namespace vstream::simulator
