#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>

namespace vstream::cli {

/// Why a supervised run was asked to stop.
enum class StopCause : std::uint8_t { kNone, kSignal, kReaderGone };

/// What the watching thread is to do.
struct Supervision {
  int output_fd = -1;  ///< a pipe whose reader is watched; -1: none
  std::chrono::milliseconds grace{5000};
  /// A stop was requested: whoever waits for a reader must give up at that moment.
  std::function<void(std::chrono::steady_clock::time_point)> give_up_at = {};
  /// What SIGHUP does instead of requesting a stop; may be empty.
  std::function<void()> on_hangup = {};
};

/// How a supervised run was stopped: `signal` is the first one's number, 0 if there was none.
struct Stopped {
  StopCause cause = StopCause::kNone;
  int signal = 0;
};

/// Makes the process safe to write with: SIGPIPE and SIGXFSZ become errors of write(), and a descriptor 0, 1 or 2 that
/// is closed is taken, so that no file is opened in its place. (What is written to a closed stdout fails.) Call first.
void prepare_process();

/// Runs `work` on a thread of its own while this one watches: the first signal, or the reader of the output going away,
/// requests a stop; a second signal ends the process at once with 128 + its number, and so does a run that has not
/// ended a second after the grace. Signals are SIGINT, SIGTERM and SIGHUP, without those that were ignored when the
/// process started (nohup). No other thread may exist before.
Stopped supervise(const Supervision& supervision, const std::function<void(std::stop_token)>& work);

/// Blocks the signals in this thread and all that it starts. Call before any other thread exists.
void block_signals();
/// Returns when the first of them has come.
void wait_for_signal();

}  // namespace vstream::cli
