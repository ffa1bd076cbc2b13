#pragma once

#include <mutex>
#include <string>

namespace vstream::property {

/// What was asked, sent and printed in a run, one line each, in order. Thread safe.
class Trace {
 public:
  /// Kept only if `on`: most runs are never looked at.
  explicit Trace(bool on) : on_(on) {}

  bool is_on() const { return on_; }
  void add(const std::string& line) {
    if (!on_) return;
    const std::lock_guard lock(mutex_);
    text_ += line + '\n';
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  bool on_;
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace vstream::property
