#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/connection.h"
#include "vstream/error.h"

namespace vstream {

/// The rows of an answer as text; a NULL is an empty cell.
using SqlRows = std::vector<std::vector<std::string>>;

/// SQL over VTGate's gRPC Execute: questions about the cluster, never on the row path. Thread safe.
class SqlClient {
 public:
  /// A question takes `connect_timeout` at most, and is given up when `stop` is requested.
  SqlClient(std::shared_ptr<grpc::Channel> channel, const ConnectOptions& options, std::stop_token stop)
      : channel_(std::move(channel)),
        address_(options.address),
        timeout_(options.connect_timeout),
        stop_(std::move(stop)) {}

  /// Runs one statement in a session of its own. `target` is `keyspace[:shard][@tablet_type]`; a shard bypasses
  /// VTGate's planner. Errors: what classify() makes of the call or of the error inside the answer; kUnreachable when
  /// no connection could be made within the timeout; kDecode for an answer that does not fit its own columns.
  Result<SqlRows> query(std::string_view target, std::string_view sql) const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::string address_;  // for errors
  std::chrono::milliseconds timeout_;
  std::stop_token stop_;
};

}  // namespace vstream
