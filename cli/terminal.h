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

/// Wraps a sink so that the lines it gets are coloured JSON. For people: not on the fast path.
std::unique_ptr<Sink> make_colour_sink(std::unique_ptr<Sink> inner);

}  // namespace vstream::cli
