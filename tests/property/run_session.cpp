#include "run_session.h"

#include <set>
#include <string>
#include <utility>

#include "stream/selection.h"
#include "stream/session.h"

namespace vstream::property {
namespace {

TailOptions make_options(const History& history, const Task& task) {
  TailOptions options;
  options.from.kind = task.copies ? StartAt::Kind::kCopy : StartAt::Kind::kPositions;
  for (std::size_t shard = 0; shard < history.shards.size() && !task.copies; ++shard) {
    const Shard& of = history.shards[shard];
    options.from.positions.push_back(
        {.keyspace = history.keyspace, .shard = of.name, .gtid = of.positions[task.from[shard]]});
  }
  for (const std::size_t table : task.tables) {
    options.selectors.push_back({.keyspace = history.keyspace, .shard = {}, .table = history.tables[table].name});
  }
  if (task.tables.empty()) options.selectors.push_back({.keyspace = history.keyspace, .shard = {}, .table = {}});
  options.until_copy_completed = task.until_copy_completed;
  options.retry_for.reset();
  if (task.spills) options.max_transaction_memory = 100;
  return options;
}

Selection make_selection(const History& history, const Task& task, const SessionWorld& world,
                         const TailOptions& options) {
  std::vector<std::string> shards;
  for (const Shard& shard : history.shards) shards.push_back(shard.name);
  std::vector<std::string> tables = world.list_tables();
  if (!task.tables.empty()) tables.clear();
  for (const std::size_t table : task.tables) tables.push_back(history.tables[table].name);
  return {history.keyspace, std::move(shards), std::move(tables), options};
}

}  // namespace

Result<TailEnd> run_session(const History& history, const Task& task, StreamSource& source, const SessionWorld& world) {
  const TailOptions options = make_options(history, task);
  const TailHooks hooks;
  // What VTGate does not answer is tried again; what a tablet has not vouched for starts by its first event.
  const auto is_unanswered = [&] { return world.random() < 0.05; };
  const auto unanswered = [] {
    return fail(ErrorCode::kStreamBroken, "VTGate could not answer a question", {}, Retriable::kYes);
  };
  Session session(options, make_selection(history, task, world, options),
                  {.streams = source,
                   .clock = world.clock,
                   .random = world.random,
                   .check_positions = [&](const Vgtid& positions) -> Result<std::set<std::string>> {
                     if (is_unanswered()) return unanswered();
                     std::set<std::string> servable;
                     for (const ShardPosition& position : positions) {
                       if (world.random() < 0.7) servable.insert(position.shard);
                     }
                     return servable;
                   },
                   .list_tables = [&]() -> Result<std::vector<std::string>> {
                     if (is_unanswered()) return unanswered();
                     return world.list_tables();
                   },
                   .sink = world.sink,
                   .log = world.log,
                   .hooks = hooks},
                  world.stop);
  return session.run();
}

}  // namespace vstream::property
