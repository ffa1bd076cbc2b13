#pragma once

#include <string>

namespace vstream::simulator {

/// Resets (RST, not FIN) the TCP connection of this process whose other end gRPC calls `peer` ("ipv4:127.0.0.1:40123"),
/// after the other end's kernel has taken all that was written, or a second. False if it cannot: there is no such
/// connection.
///
/// gRPC's synchronous server neither shows its sockets nor closes one: its TryCancel ends a call with a status, on a
/// connection that lives on. So the socket is looked up among the descriptors of the process, and told to disconnect
/// without being closed, which stays gRPC's business.
bool reset_connection(const std::string& peer);

}  // namespace vstream::simulator
