#pragma once

#include <cstdint>
#include <string>

namespace vstream::property {

enum class Transport : std::uint8_t {
  kInProcess,  ///< the same for the same seed
  kGrpc        ///< real gRPC within the process: how far the server is ahead of the client is a matter of luck
};

struct Report {
  std::string wrong;  ///< "" if all is well
  std::string trace;  ///< if it was asked for
};

/// Makes a history, a task and a VTGate from the seed, runs the library's session on them, and judges what it printed.
Report run(std::uint64_t seed, Transport transport, bool with_trace);

}  // namespace vstream::property
