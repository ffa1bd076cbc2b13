#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace vstream {

enum class LogLevel : std::uint8_t { kError, kWarning, kInfo, kDebug };

/// Receives what the library has to say. Called from the thread that runs the stream, never concurrently.
/// The text has no line break at its end, holds no secret, and may hold foreign control characters: who prints it on
/// a terminal makes them harmless.
using LogHook = std::function<void(LogLevel, std::string_view)>;

}  // namespace vstream
