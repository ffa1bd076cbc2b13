#include "in_process_source.h"

#include <utility>

#include "events.h"
#include "vtgate/classify.h"

namespace vstream::property {
namespace {

constexpr std::chrono::seconds kHeartbeatInterval{1};

std::string heartbeat_response() {
  vtgate::VStreamResponse response;
  *response.add_events() = heartbeat();
  return response.SerializeAsString();
}

}  // namespace

class InProcessSource::InProcessCall final : public StreamCall {
 public:
  InProcessCall(InProcessSource& source, const vtgate::VStreamRequest& request)
      : source_(source), call_(source.vtgate_.open(request)) {}

  Outcome next(TimePoint deadline) override {
    if (std::exchange(woken_, false)) return Outcome::kWoken;
    if (deadline == kAtOnce && source_.random_.chance(30)) return Outcome::kTimeout;  // nothing has come yet
    Step step = call_->step();
    if (std::exchange(woken_, false)) return Outcome::kWoken;
    switch (step.kind) {
      case Step::Kind::kResponse: response_ = std::move(step.response); return Outcome::kResponse;
      case Step::Kind::kIdle:
      case Step::Kind::kExhausted: return idle(deadline);
      case Step::Kind::kEnded:
        error_ = classify({.code = step.status.code, .text = step.status.text});
        return Outcome::kEnded;
      case Step::Kind::kOver:
        source_.vtgate_.stop();
        if (std::exchange(woken_, false)) return Outcome::kWoken;
        break;
      case Step::Kind::kSilent: break;
    }
    return silence(deadline);
  }
  std::string_view response() const override { return response_; }
  const Error& error() const override { return error_; }
  void wake() override { woken_ = true; }

 private:
  Outcome idle(TimePoint deadline) {
    if (deadline == kAtOnce) return Outcome::kTimeout;
    const TimePoint heartbeat_at = source_.clock_.now() + kHeartbeatInterval;
    source_.clock_.jump_to(std::min(deadline, heartbeat_at));
    if (deadline < heartbeat_at) return Outcome::kTimeout;
    response_ = heartbeat_response();
    return Outcome::kResponse;
  }

  Outcome silence(TimePoint deadline) {
    if (deadline == kAtOnce) return Outcome::kTimeout;
    if (deadline == TimePoint::max()) {
      source_.vtgate_.complain("the client would wait for ever");
      if (std::exchange(woken_, false)) return Outcome::kWoken;
    } else {
      source_.clock_.jump_to(deadline);
    }
    return Outcome::kTimeout;
  }

  InProcessSource& source_;
  std::unique_ptr<RandomVtgate::Call> call_;
  std::string response_;
  Error error_;
  bool woken_ = false;
};

std::unique_ptr<StreamCall> InProcessSource::open(const vtgate::VStreamRequest& request) {
  return std::make_unique<InProcessCall>(*this, request);
}

}  // namespace vstream::property
