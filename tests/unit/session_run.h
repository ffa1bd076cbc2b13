#pragma once

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "stream/session.h"
#include "support/positions.h"
#include "support/scripted_stream.h"

namespace vstream::testing {

/// Keeps what is written.
class TextSink final : public Sink {
 public:
  Result<void> write(std::string_view lines) override {
    text += lines;
    if (on_write) on_write();
    return {};
  }
  std::string text;
  std::function<void()> on_write;
};

/// A session on shards "0" (or more) of keyspace "ks", from position 1-1 of each unless it copies.
struct Run {
  explicit Run(std::vector<std::string> of = {"0"}) : shards(std::move(of)) {
    options.selectors = {{.keyspace = "ks", .shard = {}, .table = {}}};
    options.from.kind = StartAt::Kind::kPositions;
    for (const std::string& shard : shards) options.from.positions.push_back({"ks", shard, at(1)});
  }
  void copies(std::vector<std::string> of) {
    options.from = {.kind = StartAt::Kind::kCopy};
    tables = std::move(of);
  }

  Result<TailEnd> operator()() {
    const LogHook log = [this](LogLevel level, std::string_view text) {
      if (level != LogLevel::kDebug) said += std::string(text) + "\n";
      if (level == LogLevel::kError) FAIL(text);
    };
    const TailHooks hooks{.started =
                              [this](const Vgtid& position) {
                                started_at.push_back(vgtid_to_short(position));
                                started_after = clock.now() - TimePoint(std::chrono::hours(1));
                              },
                          .ending = {}};
    Session session(options, {"ks", shards, tables, options},
                    {.streams = streams,
                     .clock = clock,
                     .random = [] { return 0.5; },
                     .check_positions = check_positions,
                     .list_tables = [this] { return Result<std::vector<std::string>>(tables); },
                     .ask_collations = ask_collations,
                     .ask_shard = ask_shard,
                     .sink = sink,
                     .log = log,
                     .hooks = hooks,
                     .until = until,
                     .idle = idle},
                    stop.get_token());
    return session.run();
  }
  // The gtids of the shards in request number `i`.
  std::vector<std::string> asked(std::size_t i) const {
    std::vector<std::string> gtids;
    for (const auto& shard : streams.requests().at(i).vgtid().shard_gtids()) gtids.push_back(shard.gtid());
    return gtids;
  }

  std::vector<std::string> shards;
  std::vector<std::string> tables = {"t"};
  TailOptions options;
  std::stop_source stop;
  FakeClock clock;
  ScriptedStreams streams{clock, stop};
  TextSink sink;
  std::string said;
  std::vector<std::string> started_at;
  Clock::Duration started_after{};
  std::function<Result<std::set<std::string>>(const Vgtid&)> check_positions = [](const Vgtid&) {
    return Result<std::set<std::string>>();
  };
  CollationQuestion ask_collations;
  AskShard ask_shard;
  std::optional<Until> until;
  IdleClock* idle = nullptr;
};

/// A transaction of one row, whose id is the number.
inline Response transaction(int number, const std::string& shard = "0") {
  Response response(shard);
  response.begin().field("t", {{.name = "id"}}).row("t", {}, {std::to_string(number)}).vgtid(at(number)).commit();
  return response;
}

/// The ids of the rows in lines.
inline std::string ids(const std::string& text) {
  std::string found;
  constexpr std::string_view kKey = R"("after":{"id":)";
  for (std::size_t i = text.find(kKey); i != std::string::npos; i = text.find(kKey, i + 1)) {
    found += text.substr(i + kKey.size(), text.find('}', i) - i - kKey.size()) + " ";
  }
  return found;
}

}  // namespace vstream::testing
