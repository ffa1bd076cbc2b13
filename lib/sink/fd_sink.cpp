#include "sink/fd_sink.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace vstream {

Result<void> FdSink::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(fd_, lines.data(), lines.size());
    if (written >= 0) {
      lines.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // somebody made it non-blocking
      pollfd wait{.fd = fd_, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (errno == EPIPE) {
      return fail(ErrorCode::kReaderGone, "the reader of the output went away");
    } else if (errno != EINTR) {
      return fail(ErrorCode::kOutput, fmt::format("could not write the output: {}", std::strerror(errno)),
                  "lines that were not written come again when the stream is started from an earlier position",
                  Retriable::kUnknown);
    }
  }
  return {};
}

}  // namespace vstream
