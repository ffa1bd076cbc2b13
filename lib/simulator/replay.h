#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/backend.h"
#include "vstream/error.h"

namespace vstream::simulator {

/// A recorded stream: the responses of one VStream call, in order. Every call gets all of them, then silence (or
/// heartbeats) until the client goes.
class Replay final : public Backend {
 public:
  /// Reads a file with one VStreamResponse in protobuf JSON a line; empty lines are skipped. Keyspaces, shards and
  /// tables are those that occur in it; the shards of the first VGTID serve from the start.
  /// Errors: kInvalidFile, naming the line and what is wrong with it.
  static Result<std::unique_ptr<Replay>> open(const std::string& path);

  const Topology& topology() const override { return topology_; }
  /// Executed: the last position in the transcript. Purged: nothing.
  ServerVariables variables(const Tablet& tablet) const override;
  grpc::Status stream(const vtgate::VStreamRequest& request, Outlet& outlet) override;

 private:
  explicit Replay(std::vector<vtgate::VStreamResponse> responses);

  std::vector<vtgate::VStreamResponse> responses_;
  Topology topology_;
  std::map<std::pair<std::string, std::string>, std::string, std::less<>> executed_;
};

}  // namespace vstream::simulator
