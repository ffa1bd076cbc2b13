#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vstream/error.h"

namespace vstream {

/// What an embedded VTGate plays and where it listens.
struct SimulatorOptions {
  std::string listen = "127.0.0.1:0";  ///< HOST:PORT; port 0 takes a free one
  std::string replay = {};             ///< a transcript (one VStreamResponse in protobuf JSON a line); empty: the demo shop
  double rows_per_second = 5;          ///< how fast the demo shop's orders arrive, over all shards
  std::uint64_t seed = 1;              ///< of the demo shop's data
};

/// A VTGate that serves VStream and Execute over real gRPC from inside this process. For demos, tests and users' CI.
/// The server runs on its own threads from start() until the object is destroyed. Thread safe.
class Simulator {
 public:
  /// Errors: kUsage (cannot listen there), kInvalidFile (the transcript does not parse; names the line).
  static Result<std::unique_ptr<Simulator>> start(const SimulatorOptions& options);
  virtual ~Simulator() = default;

  /// "127.0.0.1:40123": where it listens.
  virtual const std::string& address() const = 0;

 protected:
  Simulator() = default;
};

}  // namespace vstream
