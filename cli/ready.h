#pragma once

#include <optional>
#include <string>

#include "vstream/error.h"
#include "vstream/position.h"

namespace vstream::cli {

/// Tells who waits for it that the stream has started: writes the position into `path` (if given) in one step, so that
/// a reader sees all of it or nothing, and sends READY=1 to the service manager if NOTIFY_SOCKET names one.
/// Errors: kOutput, naming the file.
Result<void> tell_ready(const std::optional<std::string>& path, const Vgtid& position);

}  // namespace vstream::cli
