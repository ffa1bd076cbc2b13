#include "base/name_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace vstream {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Insertions, deletions and replacements that make one of the other; names are short.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 256;
  if (typed.size() > kLongest) return {};
  std::string_view nearest;
  std::size_t best = typed.size() / 3 + 1;  // further is another word
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const std::size_t far = distance(typed, name);
    if (far < best || (far == best && nearest.empty() && far < typed.size())) {
      best = far;
      nearest = name;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names, std::string_view what) {
  constexpr std::size_t kMost = 20;
  if (names.empty()) return fmt::format("{}: none", what);
  const std::string_view nearest = nearest_name(typed, names);
  const std::string list = names.size() > kMost ? fmt::format("there are {}", names.size())
                                                : fmt::format("\"{}\"", fmt::join(names, "\", \""));
  if (nearest.empty()) return fmt::format("{}: {}", what, list);
  return fmt::format("did you mean \"{}\"? {}: {}", nearest, what, list);
}

}  // namespace vstream
