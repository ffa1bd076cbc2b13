#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "support/event_bytes.h"
#include "vtgate/stream_call.h"

/// A VTGate whose every call plays a script, and a clock that jumps over every wait.
namespace vstream::testing {

class FakeClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  void wait_until(TimePoint moment, const std::stop_token& stop) const override {
    if (!stop.stop_requested()) now_ = std::max(now_, moment);
  }
  void advance(Duration time) const { now_ += time; }

 private:
  mutable TimePoint now_ = TimePoint(std::chrono::hours(1));
};

/// What happens next in a call: a response or the end, so long after what came before.
struct Step {
  std::chrono::milliseconds after{0};
  std::string response = {};
  std::optional<Error> end = {};
};

inline Step send(const Response& response) { return {.response = response.bytes()}; }
inline Step send_after(std::chrono::milliseconds time, const Response& response) {
  return {.after = time, .response = response.bytes()};
}
inline Step end_with(Error error) { return {.end = std::move(error)}; }
inline Step lose_connection() {
  return end_with({.code = ErrorCode::kStreamBroken,
                   .message = "the connection was lost",
                   .retriable = Retriable::kYes,
                   .grpc_code = 14});
}

/// Plays one script a call, then silence. Notes the requests. When the last script was played it requests the stop.
class ScriptedStreams final : public StreamSource {
 public:
  using Script = std::deque<Step>;

  ScriptedStreams(const FakeClock& clock, std::stop_source& stop) : clock_(clock), stop_(stop) {}

  void plays(Script script) { scripts_.push_back(std::move(script)); }
  const std::vector<vtgate::VStreamRequest>& requests() const { return requests_; }

  std::unique_ptr<StreamCall> open(const vtgate::VStreamRequest& request) override {
    requests_.push_back(request);
    Script script;
    if (!scripts_.empty()) {
      script = std::move(scripts_.front());
      scripts_.pop_front();
    }
    return std::make_unique<Call>(*this, std::move(script));
  }

 private:
  class Call final : public StreamCall {
   public:
    Call(ScriptedStreams& streams, Script script) : streams_(streams), script_(std::move(script)) {}

    Outcome next(TimePoint deadline) override {
      if (woken_) return Outcome::kWoken;
      const TimePoint now = streams_.clock_.now();
      const bool ready =
          !script_.empty() && (script_.front().after.count() == 0 || script_.front().after + now <= deadline);
      if (deadline == kAtOnce && (!ready || script_.front().after.count() != 0)) return Outcome::kTimeout;
      if (!ready) return wait(deadline);
      streams_.clock_.advance(script_.front().after);
      Step step = std::move(script_.front());
      script_.pop_front();
      if (step.end) {
        error_ = *std::move(step.end);
        return Outcome::kEnded;
      }
      response_ = std::move(step.response);
      return Outcome::kResponse;
    }
    std::string_view response() const override { return response_; }
    const Error& error() const override { return error_; }
    void wake() override { woken_ = true; }

   private:
    Outcome wait(TimePoint deadline) {
      if (script_.empty() && streams_.scripts_.empty()) {
        streams_.stop_.request_stop();
        return Outcome::kWoken;
      }
      if (deadline == TimePoint::max()) throw std::logic_error("the session waits for ever");
      if (!script_.empty()) script_.front().after -= ceil(deadline - streams_.clock_.now());
      streams_.clock_.wait_until(deadline, {});
      return Outcome::kTimeout;
    }
    static std::chrono::milliseconds ceil(Clock::Duration time) {
      return std::chrono::ceil<std::chrono::milliseconds>(time);
    }

    ScriptedStreams& streams_;
    Script script_;
    std::string response_;
    Error error_;
    bool woken_ = false;
  };

  const FakeClock& clock_;
  std::stop_source& stop_;
  std::deque<Script> scripts_;
  std::vector<vtgate::VStreamRequest> requests_;
};

}  // namespace vstream::testing
