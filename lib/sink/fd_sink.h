#pragma once

#include <atomic>
#include <string>

#include "vstream/sink.h"

namespace vstream {

/// Writes to a copy of a file descriptor. The process must ignore SIGPIPE.
///
/// A pipe is opened anew through /proc, so that writing to it can be given up although others share the descriptor and
/// expect it to block; where that is not possible a full pipe is waited for without end. What is still in the pipe is
/// counted by FIONREAD on our end; to tell how many lines that is, as much as a pipe holds is kept of what was written.
class FdSink : public Sink {
 public:
  /// `name` as in "the reader of NAME went away".
  explicit FdSink(int fd, std::string name = "the output");
  ~FdSink() override;

  Result<void> write(std::string_view lines) override;
  NotTaken drain() override;
  void give_up_at(std::chrono::steady_clock::time_point moment) override;

 private:
  bool wait_for_room() const;
  void remember(std::string_view written);
  std::uint64_t lines_in_pipe() const;
  std::chrono::milliseconds time_left() const;

  std::string name_;
  int fd_ = -1;
  bool is_pipe_ = false;
  std::string last_written_;  // at least what the pipe can hold
  std::uint64_t unwritten_lines_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> give_up_at_{std::chrono::steady_clock::time_point::max()};
};

}  // namespace vstream
