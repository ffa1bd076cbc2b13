#include "position/key_range.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "position/text.h"

namespace vstream {
namespace {

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int high = hex_digit(text[i]);
    int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

void append_hex(std::string& out, std::string_view bytes) {
  for (char c : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
}

std::string without_trailing_zeros(std::string bytes) {
  bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

/// The order of ends, where the empty one is the last. `std::string` compares bytes unsigned.
std::strong_ordering compare_ends(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  return a <=> b;
}

}  // namespace

Result<KeyRange> KeyRange::parse(std::string_view shard) {
  auto bad = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidPosition, fmt::format("shard {} is not a key range: {}", in_quotes(shard), why),
                "key ranges look like -80, 40-80, 80-");
  };
  std::size_t dash = shard.find('-');
  if (shard.empty()) return bad("the name is empty");
  if (dash == shard.npos) return KeyRange{};
  std::optional<std::string> start = from_hex(shard.substr(0, dash));
  std::optional<std::string> end = from_hex(shard.substr(dash + 1));
  if (!start || !end) return bad("both sides of the dash must be pairs of hexadecimal digits");
  bool open = end->empty();
  KeyRange range{without_trailing_zeros(std::move(*start)), without_trailing_zeros(std::move(*end))};
  if (!open && range.end <= range.start) return bad("it is empty");
  return range;
}

std::string KeyRange::to_string() const {
  std::string text;
  append_hex(text, start);
  text += '-';
  append_hex(text, end);
  return text;
}

bool KeyRange::intersects(const KeyRange& other) const {
  return (end.empty() || other.start < end) && (other.end.empty() || start < other.end);
}

std::optional<KeyRange> KeyRange::intersection(const KeyRange& other) const {
  if (!intersects(other)) return std::nullopt;
  return KeyRange{std::max(start, other.start), compare_ends(end, other.end) < 0 ? end : other.end};
}

std::strong_ordering operator<=>(const KeyRange& a, const KeyRange& b) {
  if (auto order = a.start <=> b.start; order != 0) return order;
  return compare_ends(a.end, b.end);
}

}  // namespace vstream
