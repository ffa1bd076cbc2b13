#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vstream/log.h"

namespace vstream {

/// What a session is doing. docs/session.md draws the ways between them.
enum class SessionState : std::uint8_t {
  kConnecting,  ///< asks VTGate, and makes a request
  kStarting,    ///< the request is out; not every shard has started
  kCopying,     ///< every shard has started; a table is copied
  kStreaming,   ///< every shard has started; changes come
  kBackingOff,  ///< the stream broke; waits to try again
  kDraining,    ///< nothing more is read; what is finished is written
  kStopped
};

std::string_view session_state_name(SessionState state);

/// The state of one session, which changes here and nowhere else. Not synchronised.
class SessionStateMachine {
 public:
  /// `where`: what is streamed, for the log.
  SessionStateMachine(std::string where, const LogHook& log) : where_(std::move(where)), log_(log) {}

  SessionState state() const { return state_; }
  /// Goes to `to`, and logs from, to, where and why (level debug). A way that docs/session.md does not draw is a bug
  /// of ours: it is logged as an error, and taken.
  void change(SessionState to, std::string_view why);

 private:
  SessionState state_ = SessionState::kConnecting;
  std::string where_;
  const LogHook& log_;
};

}  // namespace vstream
