#include "units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace vstream::cli {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// "ms" stands before "m": the first that fits is taken.
constexpr std::array kTimes = {Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000}, Unit{"h", 3'600'000},
                               Unit{"d", 86'400'000}};
constexpr std::array kSizes = {Unit{"KiB", 1U << 10U}, Unit{"MiB", 1U << 20U}, Unit{"GiB", 1U << 30U}, Unit{"B", 1}};

// Reads one or more `NUMBER UNIT`, summed up.
template <typename Units>
bool parse_sum(std::string_view text, const Units& units, std::uint64_t& sum) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
  sum = 0;
  while (!text.empty()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const Unit* found = nullptr;
    for (const Unit& unit : units) {
      if (found == nullptr && text.starts_with(unit.name)) found = &unit;
    }
    if (found == nullptr || number > kMax / found->factor || sum > kMax - number * found->factor) return false;
    text.remove_prefix(found->name.size());
    sum += number * found->factor;
  }
  return true;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::uint64_t kHundredYears = 36'525ULL * 86'400'000;  // what clocks can hold
  std::uint64_t milliseconds = 0;
  if (text.empty() || !parse_sum(text, kTimes, milliseconds)) {
    return fail(ErrorCode::kUsage, fmt::format("\"{}\" is not a duration", text),
                "a duration carries a unit: 500ms, 10s, 1h30m");
  }
  if (milliseconds > kHundredYears) {
    return fail(ErrorCode::kUsage, fmt::format("\"{}\" is too long", text), "at most a hundred years");
  }
  return std::chrono::milliseconds(milliseconds);
}

Result<std::size_t> parse_size(std::string_view text) {
  std::uint64_t bytes = 0;
  if (text.empty() || !parse_sum(text, kSizes, bytes)) {
    return fail(ErrorCode::kUsage, fmt::format("\"{}\" is not a size", text), "a size carries a unit: 64MiB, 512KiB");
  }
  return bytes;
}

}  // namespace vstream::cli
