#include "simulator/outlet.h"

#include <algorithm>

#include "simulator/tcp_reset.h"

namespace vstream::simulator {
namespace {

// gRPC's synchronous API wakes nobody when a client cancels, so a waiting call looks for itself this often.
constexpr std::chrono::milliseconds kCancelCheck{50};

vtgate::VStreamResponse heartbeat_response() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  vtgate::VStreamResponse response;
  binlogdata::VEvent& event = *response.add_events();
  event.set_type(binlogdata::HEARTBEAT);
  event.set_timestamp(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  event.set_current_time(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return response;
}

}  // namespace

Outlet::Outlet(grpc::ServerContext& context, grpc::ServerWriter<vtgate::VStreamResponse>& writer, Doorbell& doorbell,
               std::chrono::seconds heartbeat)
    : context_(context), writer_(writer), doorbell_(doorbell), heartbeat_(heartbeat) {}

bool Outlet::send(const vtgate::VStreamResponse& response) {
  if (!open() || !writer_.Write(response)) {
    broken_ = true;
    return false;
  }
  last_sent_ = Doorbell::Clock::now();
  return true;
}

bool Outlet::send_heartbeat() { return send(heartbeat_response()); }

bool Outlet::cut() {
  broken_ = true;
  return reset_connection(context_.peer());
}

bool Outlet::open() const { return !broken_ && !doorbell_.stopped() && !context_.IsCancelled(); }

bool Outlet::wait(std::uint64_t seen, Doorbell::Clock::time_point until) {
  const bool heartbeats = heartbeats_ && heartbeat_.count() > 0;
  while (open()) {
    Doorbell::Clock::time_point now = Doorbell::Clock::now();
    if (doorbell_.rings() != seen || now >= until) return true;
    if (heartbeats && now >= last_sent_ + heartbeat_) {
      send_heartbeat();
      continue;
    }
    Doorbell::Clock::time_point wake = std::min(now + kCancelCheck, until);
    if (heartbeats) wake = std::min(wake, last_sent_ + heartbeat_);
    doorbell_.wait_until(seen, wake);
  }
  return false;
}

}  // namespace vstream::simulator
