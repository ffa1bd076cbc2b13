#pragma once

#include <pthread.h>

#include <csignal>
#include <stop_token>
#include <thread>

/// Requests a stop at the first SIGINT or SIGTERM. Make it before any other thread is started.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::thread([this] {
      int received = 0;
      sigwait(&signals_, &received);
      stop_.request_stop();
    });
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal() {
    pthread_kill(waiter_.native_handle(), SIGTERM);  // if none came
    waiter_.join();
  }

  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_{};
  std::stop_source stop_;
  std::thread waiter_;
};
