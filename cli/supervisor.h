#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace vstream::cli {

/// Why a supervised run was asked to stop.
enum class StopCause : std::uint8_t { kNone, kSignal, kReaderGone };

/// Makes the process safe to write with: SIGPIPE and SIGXFSZ become errors of write(), and a descriptor 0, 1 or 2 that
/// is closed is taken, so that no file is opened in its place. (What is written to a closed stdout fails.) Call first.
void prepare_process();

/// Runs `work` on a thread of its own while this one watches: the first signal, or the reader of `output_fd` going
/// away (if it is a pipe), requests a stop; a second signal ends the process at once with 128 + its number, and so does
/// a run that has not ended 5 s after the first. Signals are SIGINT, SIGTERM and SIGHUP, without those that were
/// ignored when the process started (nohup). No other thread may exist before.
StopCause supervise(int output_fd, const std::function<void(std::stop_token)>& work);

/// Blocks the signals in this thread and all that it starts. Call before any other thread exists.
void block_signals();
/// Returns when the first of them has come.
void wait_for_signal();

}  // namespace vstream::cli
