#pragma once

#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// Where lines go. Called from the thread that runs the stream only.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Takes whole lines that end at the end of a transaction, and has written them when it returns.
  /// Errors: kReaderGone when nobody reads any more, kOutput for everything else.
  virtual Result<void> write(std::string_view lines) = 0;
};

}  // namespace vstream
