#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "vstream/error.h"

namespace vstream::cli {

/// "500ms", "10s", "1h30m" → milliseconds. A bare number is refused: its unit would be a guess.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "64MiB", "10GiB", "512KiB", "100B" → bytes.
Result<std::size_t> parse_size(std::string_view text);

}  // namespace vstream::cli
