#pragma once

#include <memory>
#include <string>

#include "vstream/error.h"
#include "vstream/log.h"
#include "vstream/sink.h"

namespace vstream {

/// A sink that writes to an open file descriptor which stays the caller's: stdout. The process must ignore SIGPIPE.
std::unique_ptr<Sink> make_fd_sink(int fd);

/// A sink that appends to a file (see lib/sink/file_sink.h for what it does with a cut last line, a full disk and log
/// rotation) or to a pipe with a name. `log` is told what was done to the file; it may be empty.
/// Errors: kOutput (cannot be opened), kForeignFile (its last line is not ours).
Result<std::unique_ptr<Sink>> make_file_sink(const std::string& path, LogHook log);

}  // namespace vstream
