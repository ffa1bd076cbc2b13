#include "position/position.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "position/text.h"

namespace vstream {
namespace {

constexpr std::string_view kMysql = "MySQL56";
constexpr std::string_view kFlavorHint = "a position is MySQL56/uuid:1-5[,…]; MariaDB/… and FilePos/… are passed on";

/// MariaDB and FilePos texts are the server's business; only what could harm a terminal or a line is refused.
Result<void> check_printable(std::string_view text, std::size_t offset) {
  if (text.empty())
    return fail(ErrorCode::kInvalidPosition, fmt::format("nothing follows the flavor at byte {}", offset));
  auto bad = std::ranges::find_if(text, [](char c) { return c < 0x20 || c > 0x7e; });
  if (bad == text.end()) return {};
  auto at = static_cast<std::size_t>(bad - text.begin());
  return fail(ErrorCode::kInvalidPosition,
              fmt::format("byte {} of the position (0x{:02x}) is not a printable ASCII character", offset + at,
                          static_cast<unsigned char>(*bad)));
}

}  // namespace

Result<Position> Position::parse(std::string_view text, std::size_t offset) {
  std::size_t slash = text.find('/');
  if (slash == text.npos) {
    return fail(ErrorCode::kInvalidPosition, fmt::format("{} at byte {} has no flavor", in_quotes(text), offset),
                std::string(kFlavorHint));
  }
  Position result{.flavor = std::string(text.substr(0, slash)), .set = {}, .other = {}};
  std::string_view rest = text.substr(slash + 1);
  std::size_t rest_offset = offset + slash + 1;
  if (result.flavor == kMysql) {
    Result<GtidSet> set = GtidSet::parse(rest, rest_offset);
    if (!set) return std::unexpected(std::move(set.error()));
    result.set = std::move(*set);
    return result;
  }
  if (result.flavor != "MariaDB" && result.flavor != "FilePos") {
    return fail(ErrorCode::kInvalidPosition,
                fmt::format("{} at byte {} is not a flavor of positions", in_quotes(result.flavor), offset),
                std::string(kFlavorHint));
  }
  if (Result<void> checked = check_printable(rest, rest_offset); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  result.other = rest;
  return result;
}

std::string Position::to_string() const {
  return fmt::format("{}/{}", flavor, flavor == kMysql ? set.to_string() : other);
}

}  // namespace vstream
