#include "sink/fd_sink.h"
#include "sink/file_sink.h"
#include "vstream/output.h"

namespace vstream {

std::unique_ptr<Sink> make_fd_sink(int fd) { return std::make_unique<FdSink>(fd); }

Result<std::unique_ptr<Sink>> make_file_sink(const std::string& path, std::uint64_t& removed_bytes) {
  auto sink = FileSink::open(path);
  if (!sink) return std::unexpected(std::move(sink.error()));
  removed_bytes = (*sink)->removed_bytes();
  return *std::move(sink);
}

}  // namespace vstream
