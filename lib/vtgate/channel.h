#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "vstream/connection.h"

namespace vstream {

/// A channel to VTGate with options that survive real life. It connects lazily: the first call tells whether it can.
/// Credentials (TLS, user and password) have their place here. Thread safe, like gRPC's.
std::shared_ptr<grpc::Channel> make_channel(const ConnectOptions& options);

}  // namespace vstream
