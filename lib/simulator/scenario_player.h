#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/backend.h"
#include "simulator/doorbell.h"
#include "simulator/scenario.h"
#include "simulator/scenario_call.h"
#include "vstream/log.h"

namespace vstream::simulator {

/// Plays a scenario: hands its scripts to the VStream calls in the order in which they come, and gives its answers to
/// statements.
class ScenarioPlayer final : public Backend {
 public:
  /// `log` (may be empty) hears of requests that were not as expected (errors) or that VTGate's rules refused (notes);
  /// from the threads of calls, one at a time. The doorbell outlives the player.
  ScenarioPlayer(Scenario scenario, LogHook log, Doorbell& doorbell);

  const Topology& topology() const override { return scenario_.topology; }
  ServerVariables variables(const Tablet& tablet) const override;
  const TableSchema* schema(std::string_view keyspace, std::string_view table) const override;
  grpc::Status stream(const vtgate::VStreamRequest& request, Outlet& outlet) override;
  std::optional<vtgate::ExecuteResponse> answer(const vtgate::ExecuteRequest& request,
                                                grpc::ServerContext& context) override;

  std::size_t unexpected() const override;
  void go() override;

 private:
  struct Turn {
    const Script* script = nullptr;  ///< null: there is none for this call
    bool again = false;              ///< it has been played as often as it says
  };

  /// The start rules that need a shard's tablets and tables. Error: how the call ends.
  std::expected<void, grpc::Status> check_start(const vtgate::VStreamRequest& request,
                                                const binlogdata::ShardGtid& start) const;
  std::expected<binlogdata::VGtid, grpc::Status> begin(const vtgate::VStreamRequest& request) const;
  Turn take_turn(const vtgate::VStreamRequest& request);
  const SqlRule* take_rule(const vtgate::ExecuteRequest& request);
  void say(LogLevel level, const std::string& text);

  const Scenario scenario_;
  const LogHook log_;
  Doorbell& doorbell_;
  Gate gate_;

  mutable std::mutex mutex_;
  std::vector<std::int64_t> calls_left_;                 ///< of each script
  std::vector<std::optional<std::int64_t>> rules_left_;  ///< of each SQL rule; none: for ever
  std::size_t unexpected_ = 0;
};

}  // namespace vstream::simulator
