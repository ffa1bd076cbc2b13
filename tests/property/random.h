#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace vstream::property {

/// Draws that are the same on every machine for the same seed. Not synchronised.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t seed() { return engine_(); }
  /// 0 … n-1.
  std::size_t below(std::size_t n) { return engine_() % n; }
  /// `first` … `last`.
  std::size_t between(std::size_t first, std::size_t last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename Items>
  const auto& pick(const Items& items) {
    return items[below(std::size(items))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vstream::property
