#include "supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include "reporter.h"

namespace vstream::cli {
namespace {

// What a run that gives up its reader needs to say so.
constexpr auto kLastWords = std::chrono::seconds(1);

// A signal that is ignored stays so: nohup, or a background job of a shell without job control.
sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

bool is_pipe(int fd) {
  struct stat info = {};
  return ::fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

[[noreturn]] void end_by_signal(int signal, std::string_view why) {
  write_to_stderr(why);
  ::_exit(128 + signal);
}

int read_signal(int fd) {
  signalfd_siginfo info = {};
  return ::read(fd, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

// A descriptor that is closed with the scope.
struct Descriptor {
  explicit Descriptor(int opened) : fd(opened) {
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "could not open a descriptor");
  }
  ~Descriptor() { ::close(fd); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

// What the watching thread waits for.
class Watch {
 public:
  Watch(const Supervision& supervision, int signals_fd, int done_fd)
      : supervision_(supervision),
        polled_{{{.fd = done_fd, .events = POLLIN, .revents = 0},
                 {.fd = signals_fd, .events = POLLIN, .revents = 0},
                 {.fd = is_pipe(supervision.output_fd) ? supervision.output_fd : -1, .events = 0, .revents = 0}}} {}

  // Waits for the next thing to happen, at most until the grace is over.
  void wait() {
    int timeout = -1;
    if (signal_ != 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(ends_ - std::chrono::steady_clock::now());
      if (left.count() <= 0) end_by_signal(signal_, "vstream: the run did not end in time: ended anyway\n");
      timeout = static_cast<int>(left.count());
    }
    ::poll(polled_.data(), polled_.size(), timeout);
  }

  bool work_is_done() const { return polled_[0].revents != 0; }
  int signal() const { return signal_; }

  StopCause cause_of_stop() {
    if (polled_[1].revents != 0) return take_signal(read_signal(polled_[1].fd));
    // A pipe tells POLLERR when its reader has gone, a socket POLLHUP.
    if ((polled_[2].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
      polled_[2].fd = -1;
      return StopCause::kReaderGone;
    }
    return StopCause::kNone;
  }

 private:
  StopCause take_signal(int signal) {
    if (signal == SIGHUP && supervision_.on_hangup) {
      supervision_.on_hangup();
      return StopCause::kNone;
    }
    if (signal_ != 0) end_by_signal(signal, "");
    signal_ = signal;
    const auto grace_ends = std::chrono::steady_clock::now() + supervision_.grace;
    if (supervision_.give_up_at) supervision_.give_up_at(grace_ends);
    ends_ = grace_ends + kLastWords;
    return StopCause::kSignal;
  }

  const Supervision& supervision_;
  std::array<pollfd, 3> polled_;
  int signal_ = 0;
  std::chrono::steady_clock::time_point ends_ = {};
};

}  // namespace

void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // open() takes the lowest free number. Opened for the wrong direction, each refuses to be used.
  while (true) {
    const int fd = ::open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd > STDERR_FILENO || fd < 0) return;
  }
}

void block_signals() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void wait_for_signal() {
  const sigset_t set = stop_signals();
  int signal = 0;
  sigwait(&set, &signal);
}

Stopped supervise(const Supervision& supervision, const std::function<void(std::stop_token)>& work) {
  block_signals();
  const sigset_t set = stop_signals();
  const Descriptor signals{::signalfd(-1, &set, SFD_CLOEXEC)};
  const Descriptor done{::eventfd(0, EFD_CLOEXEC)};
  std::jthread worker([&](std::stop_token stop) {
    work(std::move(stop));
    ::eventfd_write(done.fd, 1);
  });
  Watch watch(supervision, signals.fd, done.fd);
  StopCause first = StopCause::kNone;
  while (true) {
    watch.wait();
    if (watch.work_is_done()) return {.cause = first, .signal = watch.signal()};
    const StopCause cause = watch.cause_of_stop();
    if (cause == StopCause::kNone) continue;
    if (first == StopCause::kNone) first = cause;
    worker.request_stop();
  }
}

}  // namespace vstream::cli
