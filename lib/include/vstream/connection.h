#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace vstream {

/// How to reach a VTGate.
struct ConnectOptions {
  std::string address = "127.0.0.1:15991";                ///< HOST:PORT of VTGate's gRPC service
  std::chrono::milliseconds connect_timeout{10'000};      ///< for the first connection and for each question asked
  std::size_t max_message_size = std::size_t{64} << 20U;  ///< bytes of one response; gRPC's own limit is 4 MiB
};

/// The kind of tablet that is streamed.
enum class TabletType : unsigned char { kPrimary, kReplica, kRdonly };

}  // namespace vstream
