#include "vtgate/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace vstream {

std::shared_ptr<grpc::Channel> make_channel(const ConnectOptions& options) {
  grpc::ChannelArguments arguments;
  constexpr auto kToInt = [](auto number) {
    return static_cast<int>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(number), std::numeric_limits<int>::max()));
  };
  arguments.SetMaxReceiveMessageSize(kToInt(options.max_message_size));
  // VTGate closes connections that ping more often than every 10 s or without a call (go/vt/servenv/grpc_server.go).
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // VTGate's error texts reach 8 KiB before they are percent-encoded into a trailer; gRPC's limit for that is 8 KiB.
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, 128 * 1024);
  // Resuming a stream is decided by position, never by gRPC.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // How long to wait between two tries is the session's business; gRPC's own waits would grow to two minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kToInt(options.connect_timeout.count()));
  // A database is not reached through a web proxy, whatever http_proxy says.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // One process may hold several channels, each with a connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetUserAgentPrefix("vstream");
  return grpc::CreateCustomChannel(options.address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace vstream
