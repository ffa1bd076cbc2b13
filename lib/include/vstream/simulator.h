#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "vstream/error.h"
#include "vstream/log.h"

namespace vstream {

/// What an embedded VTGate plays and where it listens. A transcript and a scenario exclude each other.
struct SimulatorOptions {
  std::string listen = "127.0.0.1:0";  ///< HOST:PORT; port 0 takes a free one
  std::string replay = {};     ///< a transcript (one VStreamResponse in protobuf JSON a line); empty: the demo shop
  std::string scenario = {};   ///< a file as vstream-scenario(5) describes it
  LogHook log = {};            ///< hears of requests that are not as the scenario expects; called from calls' threads
  double rows_per_second = 5;  ///< row changes of the demo shop, over all shards; 0: none after its opening
  std::uint64_t seed = 1;      ///< of the demo shop's data
};

/// A VTGate that serves VStream and Execute over real gRPC from inside this process. For demos, tests and users' CI.
/// The server runs on its own threads from start() until the object is destroyed, which cuts running streams within a
/// moment. Thread safe.
///
/// The demo shop is `commerce` (shard 0: product, supplier) and `customer` (shards -80 and 80-: customer, orders), each
/// shard with a primary and a replica. Its history follows from the seed, and so do the servers' UUIDs: a
/// restarted shop begins the same history anew, and a position ahead of it is lost until then. Start positions, copies
/// with their cursors, filters of whole tables, heartbeats and errors are as VTGate 24.0.4 has them, but for two
/// things: a hunt for a tablet takes 0.5 s, not 90 s, and there is no catch-up pause before a copy. Each shard keeps
/// its last 100,000 transactions; older positions are lost.
class Simulator {
 public:
  /// Errors: kUsage (cannot listen there; two things to play), kInvalidFile (the transcript or the scenario does not
  /// parse; names the line, or the place in the document).
  static Result<std::unique_ptr<Simulator>> start(const SimulatorOptions& options);
  virtual ~Simulator() = default;

  /// "127.0.0.1:40123": where it listens.
  virtual const std::string& address() const = 0;

  /// How many calls so far were not as the scenario expects. 0 without a scenario.
  virtual std::size_t unexpected_calls() const = 0;

  /// Lets one `{"wait": "go"}` of the scenario pass: the step that waits, or the next that comes.
  virtual void go() = 0;

 protected:
  Simulator() = default;
};

}  // namespace vstream
