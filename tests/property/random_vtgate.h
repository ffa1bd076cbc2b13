#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "history.h"
#include "random.h"
#include "trace.h"
#include "vtgate.pb.h"

namespace vstream::property {

/// What goes wrong in a run.
struct Mischief {
  unsigned percent = 0;  ///< of the responses before which something does
  std::size_t most = 0;  ///< so often at most
  bool silence = false;  ///< also silence, and heartbeats alone inside a transaction: for a clock that the test drives
  std::size_t stop_after = SIZE_MAX;  ///< responses after which the user wants to stop
};

struct Status {
  int code = 0;
  std::string text;
};

/// What a call does next.
struct Step {
  enum class Kind : std::uint8_t {
    kResponse,
    kIdle,       ///< nothing to send now: time for a heartbeat
    kExhausted,  ///< the same, and nothing will ever come again: the client has to act
    kSilent,     ///< nothing, not even heartbeats, whatever the client waits for
    kEnded,
    kOver  ///< all of the history was sent
  };
  Kind kind = Kind::kResponse;
  std::string response{};  ///< serialized
  Status status{};
};

/// A VTGate over a random history, which goes on while it is streamed. Cuts responses at any event, and fails between
/// any two of them. Thread safe.
class RandomVtgate {
 public:
  /// One call. Steps of several calls may overlap: a server learns late that its client has gone.
  class Call {
   public:
    virtual ~Call() = default;
    virtual Step step() = 0;
  };

  /// All of them outlive it. `stop` ends the run; it may be called more than once, from any thread.
  RandomVtgate(const History& history, std::uint64_t seed, Mischief mischief, Trace& trace, std::function<void()> stop);

  std::unique_ptr<Call> open(const vtgate::VStreamRequest& request);
  /// The names of the tables that exist now.
  std::vector<std::string> tables() const;
  /// How far the shards have come.
  std::vector<Place> now() const;
  /// What the client has done that no client may do; empty: nothing.
  std::string complaint() const;
  void complain(std::string what);
  /// Ends the run.
  void stop();

 private:
  class RandomCall;

  void go_on(unsigned percent);
  void make_tables();
  bool draw_failure();
  Status draw_status(const binlogdata::VGtid& vgtid);

  const History& history_;
  Mischief mischief_;
  Trace& trace_;
  std::function<void()> stop_;
  mutable std::mutex mutex_;
  Random random_;
  std::vector<Place> now_;
  std::size_t failures_ = 0;
  std::size_t steps_ = 0;
  std::map<std::string, int> tablet_errors_;  // by the position that they tell
  std::string complaint_;
};

}  // namespace vstream::property
