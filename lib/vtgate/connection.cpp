#include "vtgate/connection.h"

#include <utility>

#include "vtgate/channel.h"

namespace vstream {

Connection::Connection(ConnectOptions options) : options_(std::move(options)), channel_(make_channel(options_)) {}

void Connection::renew() {
  if (!is_given_ && channel_->GetState(false) != GRPC_CHANNEL_READY) channel_ = make_channel(options_);
}

}  // namespace vstream
