#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "simulator/event_maker.h"
#include "simulator/outlet.h"
#include "simulator/scenario.h"

namespace vstream::simulator {

/// Keeps a call open until the client has gone, with the heartbeats that it asked for or with none at all.
void play_idle(Outlet& outlet, bool heartbeats);

/// Where steps wait until they are told to go on. Thread safe.
class Gate {
 public:
  /// One step may pass: one that waits, or the next that comes.
  void open_once() { ++passes_; }

  /// False if there is nothing that lets it pass.
  bool pass() {
    std::int64_t left = passes_;
    while (left > 0 && !passes_.compare_exchange_weak(left, left - 1)) {
    }
    return left > 0;
  }

 private:
  std::atomic<std::int64_t> passes_ = 0;
};

/// Plays one script on one VStream call. For the thread that serves the call; everything given outlives it.
class ScenarioCall {
 public:
  /// `shards`: the request's positions, resolved: where the VGTIDs begin. `mismatch` hears of an expectation that the
  /// request does not meet.
  ScenarioCall(const vtgate::VStreamRequest& request, binlogdata::VGtid shards, Outlet& outlet, Gate& gate,
               std::function<void(const std::string&)> mismatch);

  /// How the call ends. After the last step it stays open, with heartbeats, until the client has gone.
  grpc::Status play(const Script& script);

 private:
  using Ending = std::optional<grpc::Status>;  ///< none: the call goes on

  Ending take(const ExpectStep& step);
  Ending take(const SendStep& step);
  Ending take(const CopyStep& step);
  Ending take(const LoadStep& step);
  Ending take(const HeartbeatsStep& step);
  Ending take(const WaitStep& step);
  Ending take(const SlowStep& step);
  Ending take(const SplitStep& step);
  Ending take(const EndStep& step);
  Ending take(const CutStep& step);

  void add(const ScenarioEvent& event, const Place& place, vtgate::VStreamResponse& response);
  void send(vtgate::VStreamResponse& response);  ///< split and slow as they are set; empties it
  void send_one(const vtgate::VStreamResponse& response);
  void load_one(const LoadStep& step, const Place& place);
  void pause(Milliseconds time);

  EventMaker& events_of(const Place& place);
  binlogdata::ShardGtid& entry(const Place& place);  ///< in the VGTID

  const vtgate::VStreamRequest& request_;
  binlogdata::VGtid vgtid_;
  Outlet& outlet_;
  Gate& gate_;
  std::function<void(const std::string&)> mismatch_;
  std::map<NameInKeyspace, EventMaker> makers_;
  Milliseconds slow_{0};
  std::int64_t split_ = 0;
};

}  // namespace vstream::simulator
