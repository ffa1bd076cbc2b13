#pragma once

#include <optional>
#include <string>

#include "vstream/error.h"
#include "vstream/position.h"

namespace vstream::cli {

/// Makes `path` ready to be written later: what an earlier run left there is removed, so that nobody takes it for this
/// run's. Errors: kUsage for what is not a regular file (it would be replaced), or is the output file; kOutput if
/// nothing can be written there.
Result<void> prepare_ready_file(const std::string& path, const std::optional<std::string>& output);

/// Tells who waits for it that the stream has started: writes the position into `path` (if given) in one step, so that
/// a reader sees all of it or nothing, and sends READY=1 to the service manager if NOTIFY_SOCKET names one.
/// Errors: kOutput, naming what could not be told.
Result<void> tell_ready(const std::optional<std::string>& path, const Vgtid& position);

}  // namespace vstream::cli
