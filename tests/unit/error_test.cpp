#include "vstream/error.h"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string_view>

using vstream::error_name;
using vstream::ErrorCode;

TEST_CASE("each error code has a name of its own") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kAuth); ++code) {
    names.insert(error_name(static_cast<ErrorCode>(code)));
  }
  CHECK(names.size() == static_cast<std::size_t>(ErrorCode::kAuth) + 1);
}

TEST_CASE("an error made by fail() holds what it was given") {
  const vstream::Result<int> result = vstream::fail(ErrorCode::kUsage, "cannot", "try", vstream::Retriable::kYes);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kUsage);
  CHECK(result.error().message == "cannot");
  CHECK(result.error().hint == "try");
  CHECK(result.error().retriable == vstream::Retriable::kYes);
  CHECK(result.error().grpc_code == -1);
}
