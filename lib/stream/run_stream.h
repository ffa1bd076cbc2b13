#pragma once

#include <functional>

#include "base/clock.h"
#include "stream/run_session.h"
#include "vstream/stream.h"

namespace vstream {

/// Runs the session of a stream: run_session(), or what a test puts in its place.
using SessionRunner =
    std::function<Result<TailEnd>(const TailOptions&, const Delivery&, const LogHook&, const TailHooks&)>;

/// All of Stream::run() but the connection.
Result<StreamEnd> run_stream(const StreamOptions& options, const Clock& clock, const SessionRunner& run);

}  // namespace vstream
