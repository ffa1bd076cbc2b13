#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "stream/idle_clock.h"
#include "stream/row_budget.h"
#include "stream/run_session.h"
#include "stream/selection.h"
#include "stream/until.h"
#include "vtgate/connection.h"
#include "vtgate/sql.h"

namespace vstream {

/// What the keyspaces of one run share.
struct RunShare {
  RowBudget rows;
  std::atomic<std::size_t> unfinished_copies;
  std::optional<IdleClock> idle;  ///< none: no idle timeout
};

/// One keyspace of a run: its connection, what its selectors mean, and its session. For one thread.
class KeyspaceRun {
 public:
  /// `options`: all selectors are of this keyspace. `ends_at`: when the run's duration is over. `log` outlives it.
  KeyspaceRun(TailOptions options, std::optional<TimePoint> ends_at, std::stop_token stop, const LogHook& log);

  /// Finds out what the selectors and the target mean, and whether what is to be skipped exists; asks again while that
  /// may help. Call once, before run(). Errors: those of Selection::resolve(), check_skips(), check_executed(),
  /// executed_positions() and Until::make(), also when the run was stopped meanwhile.
  Result<void> resolve();
  /// Streams; errors as Session::run(). All arguments outlive the call.
  Result<TailEnd> run(const Delivery& delivery, const TailHooks& hooks, RunShare& share);

 private:
  Result<void> ask();
  Result<void> check_shards_exist(const Vgtid& target) const;
  Result<void> ask_target();
  ShardHistories histories(const std::string& shard) const;

  TailOptions options_;
  std::optional<TimePoint> ends_at_;
  std::stop_token stop_;
  const LogHook& log_;
  Connection connection_;
  SqlClient sql_;
  std::optional<Selection> selection_;
  std::optional<Until> until_;
};

}  // namespace vstream
