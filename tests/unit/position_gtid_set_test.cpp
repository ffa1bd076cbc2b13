#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "position/gtid_set.h"
#include "position/position.h"

using Catch::Matchers::ContainsSubstring;
using vstream::ErrorCode;
using vstream::GtidSet;
using vstream::Position;
using vstream::Uuid;

namespace {

const std::string kA = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kB = "6783d421-eccd-11f1-91b6-02fc00000001";

GtidSet parse(std::string_view text) {
  auto set = GtidSet::parse(text);
  REQUIRE(set.has_value());
  return std::move(*set);
}

std::string canonical(std::string_view text) { return parse(text).to_string(); }

std::string refusal(std::string_view text) {
  auto set = GtidSet::parse(text);
  REQUIRE_FALSE(set.has_value());
  CHECK(set.error().code == ErrorCode::kInvalidPosition);
  return set.error().message;
}

}  // namespace

TEST_CASE("a GTID set with a malformed UUID is refused, naming it and its place") {
  CHECK(refusal("nonsense:1-5") == "\"nonsense\" at byte 0 is not the UUID of a server");
  CHECK(refusal(kA + ":1," + kA.substr(1) + ":1").find("at byte 39") != std::string::npos);
  CHECK(refusal("3e11fa4771ca11e19e33c80aa9429562:1").find("not the UUID") != std::string::npos);
  CHECK(refusal("3e11fa47-71ca-11e1-9e33-c80aa942956g:1").find("not the UUID") != std::string::npos);
  CHECK(refusal("3e11fa47-71ca-11e1-9e33-c80aa942956 :1").find("not the UUID") != std::string::npos);
}

TEST_CASE("a UUID without an interval is refused") {
  CHECK_THAT(refusal(kA), ContainsSubstring("has no interval after it"));
  CHECK_THAT(refusal(kA + ":"), ContainsSubstring("\"\" at byte 37 is not an interval"));
  CHECK_THAT(refusal(kA + ":1-5:"), ContainsSubstring("at byte 41 is not an interval"));
}

TEST_CASE("an interval that is not a number or two is refused, naming it and its place") {
  for (const char* interval : {"1-", "-5", "+1", "1-5-9", "1 - 5", "0x1", "1-x", "1..5", "9223372036854775808"}) {
    INFO(interval);
    CHECK(refusal(kA + ":1-5:" + interval) == "\"" + std::string(interval) + "\" at byte 41 is not an interval");
  }
}

TEST_CASE("transaction number 0 is refused") { CHECK_THAT(refusal(kA + ":0-5"), ContainsSubstring("counted from 1")); }

TEST_CASE("a tagged GTID is refused with the word that Vitess cannot serve it") {
  CHECK_THAT(refusal(kA + ":mytag:1-5"), ContainsSubstring("\"mytag\" at byte 37 is the tag of a tagged GTID"));
  CHECK_THAT(refusal(kA + ":1-5:_t1:7"), ContainsSubstring("Vitess cannot serve"));
}

TEST_CASE("a long wrong part is cut in the message") { CHECK(refusal(std::string(100'000, 'z') + ":1").size() < 200); }

TEST_CASE("the empty text is the empty set") {
  CHECK(parse("").empty());
  CHECK(parse(" , ,, ").empty());
  CHECK(parse("").to_string().empty());
}

TEST_CASE("a set is printed in lower case, sorted, with single transactions as one number") {
  CHECK(canonical(kB + ":7:1-5," + kA + ":3-3") == kA + ":3," + kB + ":1-5:7");
  CHECK(canonical("3E11FA47-71CA-11E1-9E33-C80AA9429562:1") == kA + ":1");
}

TEST_CASE("white space around the parts is ignored, as MySQL prints line breaks there") {
  CHECK(canonical(" " + kA + ":1-5,\n" + kB + ":2 ") == kA + ":1-5," + kB + ":2");
}

TEST_CASE("an interval that ends before it starts is refused, though VTGate drops it") {
  CHECK_FALSE(GtidSet::parse(kA + ":5-3:7").has_value());
  CHECK_THAT(GtidSet::parse(kA + ":50-5").error().message, ContainsSubstring("ends before it starts"));
}

TEST_CASE("intervals that touch, overlap or repeat are joined") {
  CHECK(canonical(kA + ":1-5:6-10") == kA + ":1-10");
  CHECK(canonical(kA + ":4-9:1-5") == kA + ":1-9");
  CHECK(canonical(kA + ":1-20:3-4:20") == kA + ":1-20");
  CHECK(canonical(kA + ":1-5:7") == kA + ":1-5:7");
  CHECK(canonical(kA + ":3," + kB + ":1," + kA + ":2") == kA + ":2-3," + kB + ":1");
}

TEST_CASE("numbers reach up to the largest transaction number") {
  CHECK(canonical(kA + ":9223372036854775807") == kA + ":9223372036854775807");
  CHECK(canonical(kA + ":1-9223372036854775807:5-9223372036854775807") == kA + ":1-9223372036854775807");
}

TEST_CASE("a position whose intervals touch contains the joined interval") {
  CHECK(parse(kA + ":1-5:6-10").contains(parse(kA + ":1-10")));
}

TEST_CASE("a set does not contain what it lacks at either end, in a gap or of another server") {
  const GtidSet set = parse(kA + ":2-5:8-9");
  for (const char* intervals : {"1-3", "5-6", "4-8", "6", "7-9", "8-10", "100"}) {
    INFO(intervals);
    CHECK_FALSE(set.contains(parse(kA + ":" + intervals)));
  }
  CHECK_FALSE(set.contains(parse(kB + ":2")));
  CHECK_FALSE(set.contains(parse(kA + ":2," + kB + ":2")));
  CHECK_FALSE(GtidSet().contains(set));
}

TEST_CASE("a set contains itself, its parts and the empty set") {
  const GtidSet set = parse(kA + ":2-5:8-9," + kB + ":1");
  CHECK(set.contains(set));
  CHECK(set.contains(parse(kA + ":3-4:8")));
  CHECK(set.contains(parse(kB + ":1")));
  CHECK(set.contains(GtidSet()));
  CHECK(GtidSet().contains(GtidSet()));
}

TEST_CASE("an added transaction extends, joins or opens an interval") {
  GtidSet set = parse(kA + ":2-3:5");
  const Uuid server = *Uuid::parse(kA);
  const std::pair<int, const char*> steps[] = {{9, ":2-3:5:9"}, {1, ":1-3:5:9"}, {4, ":1-5:9"}, {3, ":1-5:9"},
                                               {6, ":1-6:9"},   {8, ":1-6:8-9"}, {7, ":1-9"}};
  for (auto [number, expected] : steps) {
    set.add(server, number);
    CHECK(set.to_string() == kA + expected);
  }
  set.add(*Uuid::parse(kB), 4);
  CHECK(set.to_string() == kA + ":1-9," + kB + ":4");
}

TEST_CASE("a merged set holds the transactions of both") {
  GtidSet set = parse(kA + ":1-3:7");
  set.merge(parse(kA + ":4:9-12," + kB + ":1"));
  CHECK(set.to_string() == kA + ":1-4:7:9-12," + kB + ":1");
  set.merge(GtidSet());
  CHECK(set.to_string() == kA + ":1-4:7:9-12," + kB + ":1");
  GtidSet none;
  none.merge(set);
  CHECK(none == set);
}

TEST_CASE("a set without another keeps what only it has") {
  const GtidSet set = parse(kA + ":1-10:20-30," + kB + ":1");
  CHECK(set.without(GtidSet()) == set);
  CHECK(set.without(set).empty());
  CHECK(GtidSet().without(set).empty());
  CHECK(set.without(parse(kA + ":3-4:7:9-22:25")).to_string() == kA + ":1-2:5-6:8:23-24:26-30," + kB + ":1");
  CHECK(set.without(parse(kA + ":1-40")).to_string() == kB + ":1");
  CHECK(set.without(parse(kB + ":1-2")).to_string() == kA + ":1-10:20-30");
  const std::string last = std::to_string(INT64_MAX);
  CHECK(parse(kA + ":1-" + last).without(parse(kA + ":5-" + last)).to_string() == kA + ":1-4");
  CHECK(parse(kA + ":" + last).without(parse(kA + ":1-4")).to_string() == kA + ":" + last);
}

TEST_CASE("a position without a flavor or of an unknown one is refused") {
  auto message = [](std::string_view text) { return Position::parse(text).error().message; };
  CHECK_THAT(message(kA + ":1"), ContainsSubstring("has no flavor"));
  CHECK_THAT(message(""), ContainsSubstring("has no flavor"));
  CHECK_THAT(message("MySQL57/" + kA + ":1"), ContainsSubstring("\"MySQL57\" at byte 0 is not a flavor"));
  CHECK_THAT(message("mysql56/" + kA + ":1"), ContainsSubstring("is not a flavor"));
}

TEST_CASE("offsets in errors count from the beginning of the position") {
  CHECK_THAT(Position::parse("MySQL56/" + kA + ":x-1").error().message, ContainsSubstring("at byte 45"));
}

TEST_CASE("a MariaDB or FilePos position must be printable and not empty") {
  CHECK_FALSE(Position::parse("MariaDB/").has_value());
  CHECK_THAT(Position::parse("FilePos/a\nb").error().message, ContainsSubstring("byte 9 of the position (0x0a)"));
  CHECK_FALSE(Position::parse("FilePos/\xc3\xa4").has_value());
}

TEST_CASE("a MariaDB or FilePos position is passed on unchanged") {
  for (const char* text : {"MariaDB/0-1-100,1-2-3", "FilePos/binlog.000003:157"}) {
    CHECK(Position::parse(text).value().to_string() == text);
  }
}

TEST_CASE("a MySQL position is printed in its canonical form") {
  CHECK(Position::parse("MySQL56/" + kA + ":1-5:6").value().to_string() == "MySQL56/" + kA + ":1-6");
  CHECK(Position::parse("MySQL56/").value().set.empty());
}
