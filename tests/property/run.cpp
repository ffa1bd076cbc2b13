#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stop_token>
#include <utility>

#include "grpc_vtgate.h"
#include "in_process_source.h"
#include "judge.h"
#include "random_history.h"
#include "random_vtgate.h"
#include "run_session.h"
#include "vtgate/grpc_stream_call.h"

namespace vstream::property {
namespace {

class TracingSink final : public Sink {
 public:
  TracingSink(std::vector<std::string>& writes, Trace& trace) : writes_(writes), trace_(trace) {}
  Result<void> write(std::string_view lines) override {
    parts_ += lines;
    if (parts_.empty()) return {};
    if (trace_.is_on()) trace_.add("  written\n" + parts_.substr(0, parts_.size() - 1));
    writes_.push_back(std::exchange(parts_, {}));
    return {};
  }
  Result<void> write_part(std::string_view lines) override {
    parts_ += lines;
    return {};
  }
  void drop_parts() override { parts_.clear(); }

 private:
  std::string parts_;
  std::vector<std::string>& writes_;
  Trace& trace_;
};

Mischief random_mischief(Random& random, Transport transport) {
  static constexpr std::array<unsigned, 4> kPercents = {3, 8, 15, 30};
  return {.percent = random.pick(kPercents),
          .most = random.chance(15) ? 0 : random.between(1, 20),
          .silence = transport == Transport::kInProcess};
}

Task random_task(Random& random, const History& history) {
  // A tablet cannot copy a table with a backtick in its name.
  const bool has_backtick =
      std::ranges::any_of(history.tables, [](const auto& table) { return table.name.find('`') != std::string::npos; });
  Task task{.copies = !has_backtick && random.chance(75), .from = {}, .tables = {}};
  task.until_copy_completed = task.copies && random.chance(20);
  task.stops_early = random.chance(task.copies ? 10 : 30);
  task.spills = random.chance(10);
  if (random.chance(30)) {
    for (std::size_t table = 0; table < history.tables.size(); ++table) {
      if (!history.tables[table].comes_later && random.chance(60)) task.tables.push_back(table);
    }
  }
  return task;
}

}  // namespace

Report run(std::uint64_t seed, Transport transport, bool with_trace) {
  Random random(seed);
  const History history = random_history(random);
  Task task = random_task(random, history);
  Mischief mischief = random_mischief(random, transport);
  if (task.stops_early) mischief.stop_after = random.between(1, 100);

  Trace trace(with_trace);
  std::stop_source stop;
  RandomVtgate vtgate(history, random.seed(), mischief, trace, [&] { stop.request_stop(); });
  for (const Place place : vtgate.now()) task.from.push_back(random.between(0, place));

  Outcome outcome;
  TracingSink sink(outcome.writes, trace);
  const TestClock clock(transport == Transport::kGrpc);
  Random luck(random.seed());
  const SessionWorld world{.clock = clock,
                           .random = [&] { return static_cast<double>(luck.below(1000)) / 1000; },
                           .list_tables = [&] { return vtgate.tables(); },
                           .sink = sink,
                           .stop = stop.get_token(),
                           .log = [&](LogLevel, std::string_view text) { trace.add(fmt::format("  says: {}", text)); }};
  if (transport == Transport::kInProcess) {
    InProcessSource source(vtgate, clock, random.seed());
    outcome.end = run_session(history, task, source, world);
  } else {
    GrpcVtgate server(vtgate);
    Connection connection(server.channel());
    GrpcStreamSource source(connection);
    outcome.end = run_session(history, task, source, world);
  }
  outcome.complaint = vtgate.complaint();
  return {.wrong = judge(history, task, outcome), .trace = trace.text()};
}

}  // namespace vstream::property
