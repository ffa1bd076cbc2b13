#pragma once

#include "tail_options.h"

namespace vstream::cli {

/// Reads what says which tables, columns and rows to stream, from which tablets and with which flags, into `options`.
/// The other options are read already. Errors: kUsage, naming the option.
Result<void> parse_selection(const TailArguments& arguments, TailOptions& options);

}  // namespace vstream::cli
