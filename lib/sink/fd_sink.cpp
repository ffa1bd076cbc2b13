#include "sink/fd_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace vstream {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How soon a wait notices that another thread has set its end.
constexpr milliseconds kTick{50};
// No event tells that a pipe is empty.
constexpr milliseconds kDrainTick{5};

bool is_pipe(int fd) {
  struct stat info = {};
  return ::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

// Not blocking is a property that all who share a descriptor see; a pipe opened anew has its own.
int open_anew(int fd) {
  const int anew = ::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  return anew >= 0 ? anew : ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

std::uint64_t count_lines(std::string_view text) { return static_cast<std::uint64_t>(std::ranges::count(text, '\n')); }

}  // namespace

FdSink::FdSink(int fd, std::string name)
    : name_(std::move(name)),
      fd_(is_pipe(fd) ? open_anew(fd) : ::fcntl(fd, F_DUPFD_CLOEXEC, 3)),
      is_pipe_(is_pipe(fd)) {}

FdSink::~FdSink() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> FdSink::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(fd_, lines.data(), lines.size());
    if (written >= 0) {
      if (is_pipe_) remember(lines.substr(0, static_cast<std::size_t>(written)));
      lines.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR || (errno == EAGAIN && wait_for_room())) continue;
    const int error = errno;
    unwritten_lines_ += count_lines(lines);
    if (error == EPIPE) return fail(ErrorCode::kReaderGone, fmt::format("the reader of {} went away", name_));
    const bool gave_up = error == EAGAIN;
    return fail(ErrorCode::kOutput,
                gave_up ? fmt::format("the reader of {} did not take it in time", name_)
                        : fmt::format("could not write {}: {}", name_, std::strerror(error)),
                "lines that were not written come again when the stream is started from an earlier position",
                Retriable::kUnknown);
  }
  return {};
}

// False, with errno EAGAIN, when nobody is waited for any more.
bool FdSink::wait_for_room() const {
  const milliseconds left = time_left();
  if (left.count() > 0) {
    pollfd room{.fd = fd_, .events = POLLOUT, .revents = 0};
    ::poll(&room, 1, static_cast<int>(std::min(left, kTick).count()));
  }
  errno = EAGAIN;
  return left.count() > 0;
}

milliseconds FdSink::time_left() const {
  const auto moment = give_up_at_.load();
  if (moment == steady_clock::time_point::max()) return milliseconds::max();
  return std::chrono::ceil<milliseconds>(moment - steady_clock::now());
}

void FdSink::give_up_at(steady_clock::time_point moment) {
  auto earliest = give_up_at_.load();
  while (moment < earliest && !give_up_at_.compare_exchange_weak(earliest, moment)) {
  }
}

void FdSink::remember(std::string_view written) {
  const auto capacity = static_cast<std::size_t>(std::max(::fcntl(fd_, F_GETPIPE_SZ), 0));
  if (written.size() >= capacity) {
    last_written_ = written.substr(written.size() - capacity);
    return;
  }
  last_written_ += written;
  if (last_written_.size() > 2 * capacity) last_written_.erase(0, last_written_.size() - capacity);
}

std::uint64_t FdSink::lines_in_pipe() const {
  int left = 0;
  if (::ioctl(fd_, FIONREAD, &left) != 0 || left <= 0) return 0;
  const std::size_t known = std::min(static_cast<std::size_t>(left), last_written_.size());
  return count_lines(std::string_view(last_written_).substr(last_written_.size() - known));
}

NotTaken FdSink::drain() {
  if (!is_pipe_) return {.lines = unwritten_lines_};
  while (true) {
    pollfd reader{.fd = fd_, .events = 0, .revents = 0};
    ::poll(&reader, 1, 0);
    const bool gone = (reader.revents & POLLERR) != 0;
    const std::uint64_t in_pipe = lines_in_pipe();
    const milliseconds time = time_left();
    if (in_pipe == 0 || gone || time.count() <= 0) {
      const std::uint64_t lines = unwritten_lines_ + in_pipe;
      return {.lines = lines, .reader_gone = gone && lines > 0};
    }
    ::poll(&reader, 1, static_cast<int>(std::min(time, kDrainTick).count()));
  }
}

}  // namespace vstream
