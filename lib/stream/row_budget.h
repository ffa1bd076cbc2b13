#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace vstream {

/// How many rows a run may still print, all its keyspaces together. Thread safe.
class RowBudget {
 public:
  /// None: any number.
  explicit RowBudget(std::optional<std::uint64_t> rows)
      : left_(rows.value_or(std::numeric_limits<std::uint64_t>::max())), limited_(rows.has_value()) {}

  /// Takes so many rows, or those that are left; returns how many.
  std::uint64_t take(std::uint64_t rows) {
    if (!limited_) return rows;
    std::uint64_t left = left_;
    while (!left_.compare_exchange_weak(left, left - std::min(left, rows))) {
    }
    return std::min(left, rows);
  }
  /// True when the last row was taken.
  bool spent() const { return left_ == 0; }

 private:
  std::atomic<std::uint64_t> left_;
  bool limited_;
};

}  // namespace vstream
