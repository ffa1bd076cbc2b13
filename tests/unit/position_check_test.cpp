// Whether a server can serve a position.
#include "stream/position_check.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using vstream::GtidSet;
using vstream::judge;
using vstream::Servable;

namespace {

const std::string kOne = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kTwo = "4e11fa47-71ca-11e1-9e33-c80aa9429562";

GtidSet set(const std::string& text) { return GtidSet::parse(text).value(); }

}  // namespace

TEST_CASE("a server that has the position and every binlog after it can serve it") {
  CHECK(judge(set(kOne + ":1-50"), {.executed = set(kOne + ":1-80"), .purged = set(kOne + ":1-50")}) == Servable::kYes);
  CHECK(judge(set(kOne + ":1-80"), {.executed = set(kOne + ":1-80"), .purged = {}}) == Servable::kYes);
}

TEST_CASE("a server whose purged binlogs hold later transactions cannot") {
  CHECK(judge(set(kOne + ":1-50"), {.executed = set(kOne + ":1-80"), .purged = set(kOne + ":1-51")}) ==
        Servable::kPurged);
  // The whole history of a server UUID that the position does not know would be needed.
  CHECK(judge(set(kOne + ":1-50"), {.executed = set(kOne + ":1-80," + kTwo + ":1-9"), .purged = set(kTwo + ":1-3")}) ==
        Servable::kPurged);
}

TEST_CASE("a server that has not had the position's transactions cannot") {
  CHECK(judge(set(kOne + ":1-81"), {.executed = set(kOne + ":1-80"), .purged = {}}) == Servable::kAhead);
  CHECK(judge(set(kTwo + ":1"), {.executed = set(kOne + ":1-80"), .purged = set(kOne + ":1-5")}) == Servable::kAhead);
}
