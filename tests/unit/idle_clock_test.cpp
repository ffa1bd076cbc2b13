// When has a run been idle for too long?
#include "stream/idle_clock.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using vstream::IdleClock;
using vstream::TimePoint;

namespace {

constexpr TimePoint kStart{1h};

}  // namespace

TEST_CASE("a stream that waits ends its run when nothing has come for so long") {
  IdleClock clock(10s);
  IdleClock::Stream stream(clock);
  CHECK(clock.ends_at() == TimePoint::max());
  stream.waits(kStart);
  CHECK(clock.ends_at() == kStart + 10s);
  stream.brought(kStart + 4s);
  CHECK(clock.ends_at() == kStart + 14s);
  stream.works();
  stream.works();
  CHECK(clock.ends_at() == TimePoint::max());
  stream.waits(kStart + 20s);
  stream.waits(kStart + 21s);
  CHECK(clock.ends_at() == kStart + 31s);
}

TEST_CASE("a run is idle when all its streams are, and one that has ended is no longer asked") {
  IdleClock clock(10s, 2);
  std::optional<IdleClock::Stream> first(clock);
  IdleClock::Stream second(clock);
  second.waits(kStart);
  CHECK(clock.ends_at() == TimePoint::max());
  first->waits(kStart + 1s);
  second.brought(kStart + 5s);
  CHECK(clock.ends_at() == kStart + 15s);
  first->works();
  first.reset();
  CHECK(clock.ends_at() == kStart + 15s);
}

TEST_CASE("streams on several threads share the clock") {
  IdleClock clock(10s, 4);
  std::vector<std::unique_ptr<IdleClock::Stream>> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(std::make_unique<IdleClock::Stream>(clock));
  {
    std::vector<std::jthread> threads;
    for (auto& stream : streams) {
      threads.emplace_back([&stream] {
        for (int i = 1; i <= 1000; ++i) {
          stream->waits(kStart + std::chrono::seconds(i));
          if (i < 1000) stream->works();
        }
      });
    }
  }
  CHECK(clock.ends_at() == kStart + 1010s);
}
