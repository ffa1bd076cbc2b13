#include "vstream/simulator.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "simulator/doorbell.h"
#include "simulator/replay.h"
#include "simulator/service.h"
#include "simulator/shop.h"

namespace vstream {
namespace {

using simulator::Backend;
using simulator::Doorbell;

// As VTGate's defaults: --grpc-max-message-size, and the shortest time between two pings of a client.
constexpr int kMostMessageBytes = 16 * 1024 * 1024;
constexpr int kShortestPingMs = 10'000;

// After this a call that is still writing to a client that does not read is cut off.
constexpr std::chrono::milliseconds kShutdownGrace{200};

class GrpcSimulator final : public Simulator {
 public:
  GrpcSimulator(std::unique_ptr<Doorbell> doorbell, std::unique_ptr<Backend> backend)
      : doorbell_(std::move(doorbell)), backend_(std::move(backend)), service_(*backend_, *doorbell_) {}

  ~GrpcSimulator() override {
    doorbell_->stop();
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + kShutdownGrace);
  }

  Result<void> listen(const std::string& where) {
    std::size_t colon = where.rfind(':');
    if (colon == where.npos || colon == 0) {
      return fail(ErrorCode::kUsage, fmt::format("\"{}\" is not an address to listen on", where),
                  "write HOST:PORT; port 0 takes a free one");
    }
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(where, grpc::InsecureServerCredentials(), &port);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a port that is taken is an error
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kShortestPingMs);
    builder.SetMaxReceiveMessageSize(kMostMessageBytes);
    builder.SetMaxSendMessageSize(kMostMessageBytes);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (!server_ || port == 0) {
      return fail(ErrorCode::kUsage, fmt::format("cannot listen on \"{}\"", where),
                  "is the port taken, or the host not one of this machine?");
    }
    address_ = fmt::format("{}:{}", where.substr(0, colon), port);
    return {};
  }

  const std::string& address() const override { return address_; }

 private:
  std::unique_ptr<Doorbell> doorbell_;
  std::unique_ptr<Backend> backend_;
  simulator::Service service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace

Result<std::unique_ptr<Simulator>> Simulator::start(const SimulatorOptions& options) {
  if (!(options.rows_per_second >= 0) || std::isinf(options.rows_per_second)) {
    return fail(ErrorCode::kUsage, fmt::format("rows per second cannot be \"{}\"", options.rows_per_second));
  }
  auto doorbell = std::make_unique<Doorbell>();
  std::unique_ptr<Backend> backend;
  if (options.replay.empty()) {
    simulator::ShopOptions shop{.rows_per_second = options.rows_per_second, .seed = options.seed};
    backend = std::make_unique<simulator::Shop>(shop, *doorbell);
  } else {
    auto replay = simulator::Replay::open(options.replay);
    if (!replay) return std::unexpected(replay.error());
    backend = std::move(*replay);
  }
  auto simulator = std::make_unique<GrpcSimulator>(std::move(doorbell), std::move(backend));
  if (auto listening = simulator->listen(options.listen); !listening) return std::unexpected(listening.error());
  return simulator;
}

}  // namespace vstream
