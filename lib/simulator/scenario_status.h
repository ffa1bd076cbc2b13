#pragma once

#include <grpcpp/grpcpp.h>

#include "simulator/json_node.h"

namespace vstream::simulator {

/// "UNAVAILABLE" and so on: the code of an error, by the name that gRPC gives it.
grpc::StatusCode read_status_code(const JsonNode& node);

}  // namespace vstream::simulator
