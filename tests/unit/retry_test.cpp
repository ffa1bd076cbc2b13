// When a broken stream is tried again, and when no more.
#include "stream/retry.h"

#include <catch2/catch_test_macros.hpp>

#include "stream/failure_judge.h"

using namespace std::chrono_literals;
using vstream::Error;
using vstream::ErrorCode;
using vstream::FailureJudge;
using vstream::Retriable;
using vstream::Retry;
using vstream::TimePoint;

namespace {

constexpr TimePoint kStart{1h};
constexpr double kAlmostOne = 0.9999999;

Error broken(std::string text = "") {
  return {.code = ErrorCode::kStreamBroken,
          .message = "the connection was lost",
          .retriable = Retriable::kYes,
          .grpc_code = 14,
          .grpc_text = std::move(text)};
}

FailureJudge judge_with(std::optional<std::chrono::milliseconds> budget) {
  return {{.budget = budget}, [] { return 0.5; }};
}

constexpr auto kPanic =
    "error in vstream for ks/-80 on tablet zone1-0000000100: stream (at source tablet) error @ (including the GTID we "
    "failed to process) MySQL56/u:1-7: json: empty key";

}  // namespace

TEST_CASE("L5: delays grow with full jitter up to a limit") {
  double random = kAlmostOne;
  Retry retry({.budget = std::nullopt}, [&] { return random; });
  CHECK(retry.failed(kStart) == 199ms);
  CHECK(retry.failed(kStart) == 399ms);
  CHECK(retry.failed(kStart) == 799ms);
  for (int i = 0; i < 100; ++i) CHECK(retry.failed(kStart) <= 20s);
  CHECK(retry.failed(kStart) == 19'999ms);
  random = 0;
  CHECK(retry.failed(kStart) == 0ms);
}

TEST_CASE("L5: the budget runs from the first failure until the stream has recovered") {
  Retry retry({.budget = 60s}, [] { return kAlmostOne; });
  CHECK(retry.failed(kStart));
  CHECK(retry.failed(kStart + 59'900ms) == 100ms);
  CHECK_FALSE(retry.failed(kStart + 60s));
  retry.recovered();
  CHECK_FALSE(retry.failing());
  CHECK(retry.failed(kStart + 1h) == 199ms);
}

TEST_CASE("a budget of zero never tries again") {
  Retry retry({.budget = 0ms}, [] { return 0.5; });
  CHECK_FALSE(retry.failed(kStart));
}

TEST_CASE("what cannot pass is final at once, and so is a fault of the output") {
  FailureJudge judge = judge_with(5min);
  CHECK_FALSE(judge.judge({.code = ErrorCode::kRejected, .message = ""}, "p", kStart));
  CHECK_FALSE(judge.judge({.code = ErrorCode::kOutput, .message = "", .retriable = Retriable::kUnknown}, "p", kStart));
  CHECK_FALSE(judge.judge({.code = ErrorCode::kReaderGone, .message = "", .retriable = Retriable::kYes}, "p", kStart));
}

TEST_CASE("a budget that is used up says how long it was tried, and keeps the code of the last failure") {
  FailureJudge judge = judge_with(60s);
  CHECK(judge.judge(broken(), "p", kStart));
  const auto last = judge.judge(broken(), "p", kStart + 61s);
  REQUIRE_FALSE(last);
  CHECK(last.error().code == ErrorCode::kStreamBroken);
  CHECK(last.error().message == "the connection was lost (gave up after 61 s and 1 tries)");
}

TEST_CASE("a stream that VTGate ends because of its age goes on at once") {
  FailureJudge judge = judge_with(0ms);
  CHECK(judge.judge({.code = ErrorCode::kStreamBroken, .message = "", .retriable = Retriable::kAtOnce}, "p", kStart) ==
        0ms);
}

TEST_CASE("D4: a transaction that breaks the tablet three times, ten seconds apart, is poison") {
  FailureJudge judge = judge_with(5min);
  CHECK(judge.judge(broken(kPanic), "p", kStart));
  CHECK(judge.judge(broken(kPanic), "p", kStart + 9s));   // too soon to count
  CHECK(judge.judge(broken(kPanic), "p", kStart + 10s));  // the second
  CHECK(judge.judge(broken(), "p", kStart + 15s));        // something else
  const auto poison = judge.judge(broken(kPanic), "p", kStart + 20s);
  REQUIRE_FALSE(poison);
  CHECK(poison.error().code == ErrorCode::kPoison);
  CHECK(poison.error().keyspace == "ks");
  CHECK(poison.error().shard == "-80");
  CHECK(poison.error().message.find("MySQL56/u:1-7") != std::string::npos);
  CHECK(poison.error().message.find("json: empty key") != std::string::npos);
}

TEST_CASE("D4: failures at different transactions are no poison") {
  FailureJudge judge = judge_with(std::nullopt);
  for (int i = 0; i < 10; ++i) CHECK(judge.judge(broken(kPanic), std::to_string(i), kStart + i * 20s));
}

TEST_CASE("D4: two shards that fail in turn do not hide each other's poison") {
  FailureJudge judge = judge_with(std::nullopt);
  const std::string other = [] {
    std::string text = kPanic;
    return text.replace(text.find("-80"), 3, "80-");
  }();
  for (int i = 0; i < 2; ++i) {
    CHECK(judge.judge(broken(kPanic), "p", kStart + i * 20s));
    CHECK(judge.judge(broken(other), "q", kStart + i * 20s + 10s));
  }
  CHECK_FALSE(judge.judge(broken(kPanic), "p", kStart + 40s));
  CHECK_FALSE(judge.judge(broken(other), "q", kStart + 50s));
}

TEST_CASE("T9, D18: two shards that cannot be decoded do not hide each other") {
  FailureJudge judge = judge_with(std::nullopt);
  const Error first{.code = ErrorCode::kDecode, .message = "", .shard = "-80"};
  const Error second{.code = ErrorCode::kDecode, .message = "", .shard = "80-"};
  CHECK(judge.judge(first, "p", kStart));
  CHECK(judge.judge(second, "q", kStart));
  CHECK_FALSE(judge.judge(first, "p", kStart));
}

TEST_CASE("T9: what cannot be decoded gets one reconnect, which brings new FIELD events") {
  FailureJudge judge = judge_with(5min);
  const Error undecodable{.code = ErrorCode::kDecode, .message = ""};
  CHECK(judge.judge(undecodable, "p", kStart));
  CHECK(judge.judge(undecodable, "q", kStart));
  CHECK_FALSE(judge.judge(undecodable, "q", kStart));
}

TEST_CASE("L4: a lost position is final when it was asked for, not when VTGate says so") {
  FailureJudge judge = judge_with(5min);
  CHECK(judge.judge({.code = ErrorCode::kPositionLost, .message = "", .grpc_code = 2}, "p", kStart));
  CHECK_FALSE(judge.judge({.code = ErrorCode::kPositionLost, .message = ""}, "p", kStart));
}
