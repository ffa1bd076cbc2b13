#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "position/key_range.h"

using vstream::ErrorCode;
using vstream::KeyRange;

namespace {

KeyRange range(std::string_view shard) { return KeyRange::parse(shard).value(); }

std::string common(std::string_view a, std::string_view b) {
  auto result = range(a).intersection(range(b));
  CHECK(result.has_value() == range(a).intersects(range(b)));
  return result ? result->to_string() : "nothing";
}

}  // namespace

TEST_CASE("a shard name that is no key range is refused, naming it") {
  for (const char* shard : {"", "8-", "-8", "zz-", "-zz", "40-80-c0", "80-40", "80-80", "-00", "80-8000"}) {
    INFO(shard);
    auto result = KeyRange::parse(shard);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kInvalidPosition);
    CHECK(result.error().message.find("\"" + std::string(shard) + "\"") != std::string::npos);
  }
}

TEST_CASE("a shard name without a dash holds every keyspace id") {
  CHECK(range("0") == range("-"));
  CHECK(range("main").to_string() == "-");
}

TEST_CASE("key ranges are printed in lower case without trailing zero bytes") {
  CHECK(range("-80").to_string() == "-80");
  CHECK(range("40-80").to_string() == "40-80");
  CHECK(range("C000-").to_string() == "c0-");
  CHECK(range("00-4001").to_string() == "-4001");
}

TEST_CASE("ranges that only touch have nothing in common") {
  CHECK(common("-80", "80-") == "nothing");
  CHECK(common("40-80", "80-c0") == "nothing");
  CHECK(common("-40", "80-") == "nothing");
}

TEST_CASE("the common part of two ranges is bounded by the nearer ends") {
  CHECK(common("-", "-80") == "-80");
  CHECK(common("0", "-") == "-");
  CHECK(common("-80", "40-c0") == "40-80");
  CHECK(common("40-", "-c0") == "40-c0");
  CHECK(common("80-", "c0-") == "c0-");
  CHECK(common("-80", "-7fff") == "-7fff");
}

TEST_CASE("ranges are ordered by start, then by end, and an open end is the last") {
  CHECK(range("-80") < range("80-"));
  CHECK(range("-40") < range("-80"));
  CHECK(range("-ff") < range("-"));
  CHECK(range("7f-") < range("80-"));
  CHECK(range("80-c0") < range("80-"));
}
