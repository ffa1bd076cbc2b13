#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "exit_code.h"

namespace vstream::cli {

/// Adds `vstream simulate` to the program. When it was chosen, `run` is set to what runs it.
void add_simulate_command(CLI::App& program, std::function<ExitCode()>& run);

}  // namespace vstream::cli
