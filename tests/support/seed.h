#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace vstream::testing {

/// A new seed for each run of a random test, or VSTREAM_SEED to see one again. Tests print it when they fail.
inline std::uint64_t new_seed() {
  const char* const again = std::getenv("VSTREAM_SEED");
  return again != nullptr ? std::stoull(again) : std::random_device()();
}

}  // namespace vstream::testing
