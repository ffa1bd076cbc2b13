#pragma once

#include <string>
#include <vector>

#include "vtgate.pb.h"

namespace vstream::reference {

struct Options {
  bool partial_mark = false;  ///< print partial row images and name what is absent, as --partial-images mark
};

/// The lines, without line breaks. `error`: why writing stopped (a partial image, something that cannot be decoded);
/// the lines are those of the transactions that were finished before. Empty: everything was read.
struct Lines {
  std::vector<std::string> lines;
  std::string error = {};
};

/// The native JSON lines of a stream, in the slow and obvious way: from the generated messages, one string at a time.
/// The judge of the encoder: it is written from the description of the format alone and shares no code with the
/// library.
Lines reference_lines(const std::vector<vtgate::VStreamResponse>& responses, Options options = {});

}  // namespace vstream::reference
