#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace vstream::cli {

/// Why a supervised run was asked to stop.
enum class StopCause : std::uint8_t { kNone, kSignal, kReaderGone };

/// Blocks SIGINT, SIGTERM and SIGHUP in this thread and all that it starts, so that only supervise() gets them, and
/// ignores SIGPIPE. Call once, before any other thread exists.
void take_over_signals();

/// Runs `work` on a thread of its own while this one watches: the first signal, or the reader of `output_fd` going
/// away (if it is a pipe), requests a stop; a second signal ends the process at once with 128 + its number, and so does
/// a run that has not ended 5 s after the first.
StopCause supervise(int output_fd, const std::function<void(std::stop_token)>& work);

/// Returns when the first signal has come.
void wait_for_signal();

}  // namespace vstream::cli
