#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "stream/row_budget.h"
#include "stream/run_session.h"
#include "stream/selection.h"
#include "vtgate/connection.h"
#include "vtgate/sql.h"

namespace vstream {

/// What the keyspaces of one run share.
struct RunShare {
  RowBudget rows;
  std::atomic<std::size_t> unfinished_copies;
};

/// One keyspace of a run: its connection, what its selectors mean, and its session. For one thread.
class KeyspaceRun {
 public:
  /// `options`: all selectors are of this keyspace. `ends_at`: when the run's duration is over. `log` outlives it.
  KeyspaceRun(TailOptions options, std::optional<TimePoint> ends_at, std::stop_token stop, const LogHook& log);

  /// Finds out what the selectors mean; asks again while that may help. Call once, before run(). Errors: those of
  /// Selection::resolve(), also when the run was stopped meanwhile.
  Result<void> resolve();
  /// Streams; errors as Session::run(). All arguments outlive the call.
  Result<TailEnd> run(const Delivery& delivery, const TailHooks& hooks, RunShare& share);

 private:
  TailOptions options_;
  std::optional<TimePoint> ends_at_;
  std::stop_token stop_;
  const LogHook& log_;
  Connection connection_;
  SqlClient sql_;
  std::optional<Selection> selection_;
};

}  // namespace vstream
