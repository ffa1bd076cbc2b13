#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vstream/sink.h"

namespace vstream::cli {

enum class Colour : std::uint8_t { kOff, kOn };

/// Decides for one stream. The first that speaks: `--color` ("always", "never"), TERM=dumb, CLICOLOR_FORCE and
/// FORCE_COLOR, NO_COLOR; else whether it is a terminal.
Colour colour_for(int fd, const std::string& option);

/// Wraps a sink so that people can look at the JSON lines that it gets: no character in the data moves a terminal's
/// cursor, and if `colour` is on they are coloured. Not on the fast path.
std::unique_ptr<Sink> make_terminal_sink(std::unique_ptr<Sink> inner, Colour colour);

}  // namespace vstream::cli
