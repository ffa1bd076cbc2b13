#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "query.pb.h"
#include "vstream/error.h"
#include "vtgate/connection.h"

namespace vstream {

/// The rows of an answer as text; a NULL is an empty cell.
using SqlRows = std::vector<std::vector<std::string>>;

/// SQL over VTGate's gRPC Execute: questions about the cluster, never on the row path. For one thread.
class SqlClient {
 public:
  /// A question takes `connect_timeout` at most, ends at `deadline` at the latest, and is given up when `stop` is
  /// requested. The connection outlives the client.
  SqlClient(const Connection& connection, std::optional<TimePoint> deadline, std::stop_token stop)
      : connection_(connection), deadline_(deadline), stop_(std::move(stop)) {}

  /// Runs one statement in a session of its own. `target` is `keyspace[:shard][@tablet_type]`; a shard bypasses
  /// VTGate's planner. Errors: what classify() makes of the call or of the error inside the answer; kUnreachable when
  /// no connection could be made within the timeout; kDecode for an answer that does not fit its own columns.
  Result<SqlRows> query(std::string_view target, std::string_view sql) const;
  /// The same for the answer's columns, with their flags.
  Result<std::vector<query::Field>> fields(std::string_view target, std::string_view sql) const;

 private:
  Result<query::QueryResult> execute(std::string_view target, std::string_view sql,
                                     query::ExecuteOptions::IncludedFields included) const;
  Clock::Duration time_left() const;

  const Connection& connection_;
  std::optional<TimePoint> deadline_;
  std::stop_token stop_;
};

}  // namespace vstream
