#pragma once

#include <string>
#include <vector>

#include "history.h"
#include "vstream/error.h"
#include "vstream/position.h"
#include "vstream/tail.h"

namespace vstream::property {

/// What came out of a run.
struct Outcome {
  std::vector<std::string> writes;  ///< whole lines each
  Result<TailEnd> end = TailEnd{};
  std::string complaint;  ///< the server's
};

/// What was asked for.
struct Task {
  bool copies = false;
  bool until_copy_completed = false;
  std::vector<Place> from;          ///< per shard, if it does not copy
  std::vector<std::size_t> tables;  ///< selected, if not all are
  bool stops_early = false;         ///< at any moment: what was printed must fit the position
  bool spills = false;              ///< transactions go to a file
};

/// What is wrong with the outcome, or "".
///
/// A stream from a position has printed per shard, line for line, what its transactions up to the position at the end
/// are, and each write ended between two of them. A copy has left a consumer who applies the lines as they come with
/// the source's rows at the position at the end; a table's changes came in order, none twice, and none was left out
/// after the first.
std::string judge(const History& history, const Task& task, const Outcome& outcome);

}  // namespace vstream::property
