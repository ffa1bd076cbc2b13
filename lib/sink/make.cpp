#include <utility>

#include "sink/fd_sink.h"
#include "sink/file_sink.h"
#include "vstream/output.h"

namespace vstream {

std::unique_ptr<Sink> make_fd_sink(int fd) { return std::make_unique<FdSink>(fd); }

Result<std::unique_ptr<Sink>> make_file_sink(const std::string& path, LogHook log) {
  return FileSink::open(path, std::move(log));
}

}  // namespace vstream
