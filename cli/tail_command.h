#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "exit_code.h"

namespace vstream::cli {

/// Adds `vstream tail` to the program. When it was chosen, `run` is set to what runs it.
void add_tail_command(CLI::App& program, std::function<ExitCode()>& run);

}  // namespace vstream::cli
