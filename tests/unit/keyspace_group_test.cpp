// Several keyspaces in one run: their transactions do not mix, and they end together.
#include "stream/keyspace_group.h"

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <string>

using vstream::EndReason;
using vstream::KeyspaceGroup;
using vstream::Result;
using vstream::Sink;
using vstream::TailEnd;
using vstream::TailHooks;
using vstream::Vgtid;

namespace {

class TextSink final : public Sink {
 public:
  Result<void> write(std::string_view lines) override {
    text += lines;
    return {};
  }
  std::string text;
};

/// Waits until the group is stopped.
void wait_for_stop(const std::stop_source& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop.get_token(), [] { return false; });
}

struct Group {
  Result<TailEnd> operator()(const std::vector<KeyspaceGroup::Part>& parts) {
    return KeyspaceGroup(sink, hooks, stop).run(parts);
  }

  TextSink sink;
  std::stop_source stop;
  int endings = 0;
  std::vector<Vgtid> started = {};
  TailHooks hooks{.started = [this](const Vgtid& position) { started.push_back(position); },
                  .ending = [this] { ++endings; }};
};

}  // namespace

TEST_CASE("a transaction that comes in parts is not mixed with one of another keyspace") {
  Group group;
  const auto part = [](const std::string& name) {
    return [name](Sink& sink, const TailHooks&) -> Result<TailEnd> {
      for (int i = 0; i < 1000; ++i) {
        CHECK(sink.write_part(name + "1 ").has_value());
        CHECK(sink.write_part(name + "2 ").has_value());
        CHECK(sink.write("").has_value());
        CHECK(sink.write_part(name + "3 ").has_value());
        sink.drop_parts();
      }
      return TailEnd{.reason = EndReason::kCopyCompleted};
    };
  };
  REQUIRE(group({part("a"), part("b")}).has_value());
  std::string_view rest = group.sink.text;
  while (!rest.empty()) {
    const bool whole = rest.starts_with("a1 a2 ") || rest.starts_with("b1 b2 ");
    if (!whole) REQUIRE((rest.starts_with("a3 ") || rest.starts_with("b3 ")));
    rest.remove_prefix(whole ? 6 : 3);
  }
}

TEST_CASE("a keyspace that has met its goal leaves the others alone; another end stops them") {
  Group group;
  const auto end =
      group({[](Sink&, const TailHooks& hooks) -> Result<TailEnd> {
               hooks.started({{"a", "0", "at"}});
               hooks.ending();
               return TailEnd{.reason = EndReason::kCopyCompleted, .rows = 3, .position = {{"a", "0", "at"}}};
             },
             [&](Sink&, const TailHooks& hooks) -> Result<TailEnd> {
               hooks.started({{"b", "0", "at"}});
               wait_for_stop(group.stop);
               hooks.ending();
               return TailEnd{.reason = EndReason::kSignal, .rows = 4, .position = {{"b", "0", "at"}}};
             },
             [&](Sink&, const TailHooks& hooks) -> Result<TailEnd> {
               CHECK_FALSE(group.stop.stop_requested());
               hooks.started({{"c", "0", "at"}});
               hooks.ending();
               return TailEnd{.reason = EndReason::kCount, .rows = 5};
             }});
  REQUIRE(end.has_value());
  CHECK(end->reason == EndReason::kCount);
  CHECK(end->rows == 12);
  CHECK(end->position == Vgtid{{"a", "0", "at"}, {"b", "0", "at"}});
  CHECK(group.endings == 1);
  REQUIRE(group.started.size() == 1);
  CHECK(group.started[0].size() == 3);
}

TEST_CASE("a keyspace that fails ends the run with its error") {
  Group group;
  const auto end = group({[&](Sink&, const TailHooks&) -> Result<TailEnd> {
                            wait_for_stop(group.stop);
                            return TailEnd{.reason = EndReason::kSignal};
                          },
                          [](Sink&, const TailHooks&) -> Result<TailEnd> {
                            return vstream::fail(vstream::ErrorCode::kPositionLost, "lost");
                          }});
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().message == "lost");
}

TEST_CASE("what a keyspace's thread throws comes out of the run") {
  Group group;
  const auto throws = [](Sink&, const TailHooks&) -> Result<TailEnd> { throw std::bad_alloc(); };
  const auto run = [&] { return group({throws, throws}).has_value(); };
  CHECK_THROWS_AS(run(), std::bad_alloc);
}
