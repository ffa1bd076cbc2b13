#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <utility>

#include "vstream/connection.h"

namespace vstream {

/// The connection to a VTGate that calls and questions share. For one thread.
class Connection {
 public:
  explicit Connection(ConnectOptions options);
  /// Over a channel that somebody made; it is never renewed.
  explicit Connection(std::shared_ptr<grpc::Channel> channel) : channel_(std::move(channel)), is_given_(true) {}

  const ConnectOptions& options() const { return options_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  /// Before another try: a channel that has failed answers from its last failure for a while, and gets on with
  /// connecting only while somebody waits on it; a new one looks at once. One that is connected is kept.
  void renew();

 private:
  ConnectOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  bool is_given_ = false;
};

}  // namespace vstream
