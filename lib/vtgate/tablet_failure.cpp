#include "vtgate/tablet_failure.h"

#include <algorithm>

namespace vstream {
namespace {

// What stands between `before` and the first of `ends` after it; empty if `before` does not occur.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends) {
  const std::size_t found = text.find(before);
  if (found == std::string_view::npos) return "";
  text.remove_prefix(found + before.size());
  return text.substr(0, text.find_first_of(ends));
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::optional<TabletFailure> tablet_failure(std::string_view text) {
  constexpr std::string_view kStreamError = "stream (at source tablet) error @ ";
  const std::size_t found = text.find(kStreamError);
  const std::size_t panic = text.find("panic");
  if (found == std::string_view::npos && panic == std::string_view::npos) return std::nullopt;
  TabletFailure failure;
  // "error in vstream for commerce/0 on tablet …", "persistent error in vstream for …"
  const std::string_view shard = between(text, "vstream for ", " \n");
  if (const std::size_t slash = shard.find('/'); slash != std::string_view::npos) {
    failure.keyspace = shard.substr(0, slash);
    failure.shard = shard.substr(slash + 1);
  }
  if (found == std::string_view::npos) {
    failure.words = one_line(text.substr(panic));
    return failure;
  }
  std::string_view rest = text.substr(found + kStreamError.size());
  if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.find(") ") + 2, rest.size()));
  const std::size_t end = rest.find(": ");
  failure.position = rest.substr(0, end);
  failure.words = end == std::string_view::npos ? "" : one_line(rest.substr(end + 2));
  return failure;
}

}  // namespace vstream
