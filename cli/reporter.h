#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "exit_code.h"
#include "terminal.h"
#include "vstream/error.h"
#include "vstream/log.h"

namespace vstream::cli {

/// Everything that is said on stderr, and nothing else prints there. Thread safe.
class Reporter {
 public:
  /// `verbosity`: -1 errors only, 0 warnings and notes, 1 and more: also what helps to find a fault.
  Reporter(int verbosity, Colour colour) : verbosity_(verbosity), colour_(colour) {}

  void log(LogLevel level, std::string_view text);
  /// Prints the error with its hint on a line of its own, and returns its exit code.
  ExitCode error(const Error& error);

 private:
  void print(std::string_view style, std::string_view text);

  int verbosity_;
  Colour colour_;
  std::mutex mutex_;
};

/// Writes to stderr as long as somebody takes it: a reader that has stopped reading must not hold up the run, so what
/// it does not take within a second is dropped.
void write_to_stderr(std::string_view text);

/// `text` with control characters (C0, DEL, C1) shown as \xNN, so that foreign text cannot move a terminal's cursor.
/// Line breaks stay, with the next line indented.
/// Bytes that are not UTF-8 are shown the same way.
std::string harmless(std::string_view text);

}  // namespace vstream::cli
