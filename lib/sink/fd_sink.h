#pragma once

#include "vstream/sink.h"

namespace vstream {

/// Writes to an open file descriptor that somebody else owns: stdout. Waits while a pipe is full; the process must
/// ignore SIGPIPE.
class FdSink : public Sink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  Result<void> write(std::string_view lines) override;

 private:
  int fd_;
};

}  // namespace vstream
