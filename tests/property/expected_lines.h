#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history.h"
#include "shard_stream.h"

namespace vstream::property {

/// What a shard's stream prints if nothing goes wrong.
struct ExpectedLines {
  std::vector<std::string> lines;
  std::vector<std::size_t> ends;  ///< how many lines the transactions before each place have, `from` being the first
};

/// By the reference writer, which shares no code with the library.
ExpectedLines expected_lines(const History& history, std::size_t shard, Place from, const Asked& asked);

}  // namespace vstream::property
