// GTID sets and positions: whatever the text, parsing does not crash; what parses is printed so that it reads back as
// the same set, and set operations agree with each other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "position/key_range.h"
#include "position/position.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_sets(std::string_view text) {
  const std::size_t half = text.size() / 2;
  auto whole = vstream::GtidSet::parse(text);
  auto a = vstream::GtidSet::parse(text.substr(0, half));
  auto b = vstream::GtidSet::parse(text.substr(half));
  if (whole) {
    require(vstream::GtidSet::parse(whole->to_string()).value() == *whole);
    require(whole->contains(*whole));
  }
  if (!a || !b) return;
  vstream::GtidSet both = *a;
  both.merge(*b);
  require(both.contains(*a) && both.contains(*b));
  require(vstream::GtidSet::parse(both.to_string()).value() == both);
  require(a->contains(*b) == (both == *a));
  vstream::GtidSet left = a->without(*b);
  require(a->contains(left) && left.without(*b) == left && left.empty() == b->contains(*a));
  require(vstream::GtidSet::parse(left.to_string()).value() == left);
  left.merge(*b);
  require(left == both);
  for (const vstream::ServerIntervals& server : b->servers()) {
    for (vstream::Interval interval : server.intervals) a->add(server.server, interval.last);
  }
  require(both.contains(*a));
  require(vstream::GtidSet::parse(a->to_string()).value() == *a);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  check_sets(text);
  if (auto position = vstream::Position::parse(text)) {
    require(vstream::Position::parse(position->to_string()).value() == *position);
  }
  if (auto range = vstream::KeyRange::parse(text)) {
    require(vstream::KeyRange::parse(range->to_string()).value() == *range);
    require(range->intersection(vstream::KeyRange{}) == *range);
  }
  return 0;
}
