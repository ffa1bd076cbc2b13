#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// What the reader of a pipe has not taken.
struct NotTaken {
  std::uint64_t lines = 0;   ///< also those that a failed write did not write
  bool reader_gone = false;  ///< nobody will take them any more
};

/// Where lines go. Called from the thread that runs the stream, but for give_up_at() and request_reopen().
/// What a sink does not need it leaves as it is here.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Takes whole lines that end at the end of a transaction, and has written them when it returns. Empty: what
  /// write_part() was given ends here.
  /// Errors: kReaderGone when nobody reads any more, kOutput for everything else.
  virtual Result<void> write(std::string_view lines) = 0;
  /// Takes whole lines of a transaction that goes on: too large to be held, it comes in parts.
  virtual Result<void> write_part(std::string_view lines) { return write(lines); }
  /// The transaction whose parts were given will not come to its end: takes them back, if that can be done.
  virtual void drop_parts() {}

  /// After the last write: waits until the reader of a pipe has taken everything or is gone, but not longer than
  /// give_up_at() allows. Says nothing about what the reader does with it.
  virtual NotTaken drain() { return {}; }
  /// From then on nobody is waited for: a write that cannot go on ends with kOutput, and drain() returns. The earliest
  /// moment counts. From any thread, while the sink is used.
  virtual void give_up_at(std::chrono::steady_clock::time_point /*moment*/) {}
  /// Before the next transaction a file is opened again by its name, for log rotation. From any thread.
  virtual void request_reopen() {}
};

}  // namespace vstream
