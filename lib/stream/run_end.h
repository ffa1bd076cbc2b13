#pragma once

#include "vstream/tail.h"

namespace vstream {

/// The end of a whole run: prints the `end` line if it is wanted, and waits until the reader of a pipe has taken
/// everything. A reader that has gone is an end, not an error.
Result<TailEnd> end_run(const TailOptions& options, Sink& sink, Result<TailEnd> end);

}  // namespace vstream
