#include "stream/session_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vstream {
namespace {

using enum SessionState;

constexpr std::array<std::pair<SessionState, SessionState>, 16> kWays = {{
    {kConnecting, kStarting},
    {kConnecting, kBackingOff},
    {kConnecting, kDraining},
    {kStarting, kCopying},
    {kStarting, kStreaming},
    {kStarting, kConnecting},  // a table was finished before every shard of the request had spoken
    {kStarting, kBackingOff},
    {kStarting, kDraining},
    {kCopying, kConnecting},  // the next table
    {kCopying, kBackingOff},
    {kCopying, kDraining},
    {kStreaming, kBackingOff},
    {kStreaming, kDraining},
    {kBackingOff, kConnecting},
    {kBackingOff, kDraining},
    {kDraining, kStopped},
}};

}  // namespace

std::string_view session_state_name(SessionState state) {
  switch (state) {
    case kConnecting: return "connecting";
    case kStarting: return "starting";
    case kCopying: return "copying";
    case kStreaming: return "streaming";
    case kBackingOff: return "backing off";
    case kDraining: return "draining";
    case kStopped: return "stopped";
  }
  return "";
}

void SessionStateMachine::change(SessionState to, std::string_view why) {
  const bool drawn = std::ranges::find(kWays, std::pair(state_, to)) != kWays.end();
  log_(drawn ? LogLevel::kDebug : LogLevel::kError,
       fmt::format("state of {}: {} -> {} ({})", where_, session_state_name(state_), session_state_name(to), why));
  state_ = to;
}

}  // namespace vstream
