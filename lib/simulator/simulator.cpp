#include "vstream/simulator.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "simulator/doorbell.h"
#include "simulator/replay.h"
#include "simulator/scenario.h"
#include "simulator/scenario_player.h"
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
  std::size_t unexpected_calls() const override { return backend_->unexpected(); }
  void go() override { backend_->go(); }

 private:
  std::unique_ptr<Doorbell> doorbell_;
  std::unique_ptr<Backend> backend_;
  simulator::Service service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad() || !file.is_open()) {
    return fail(ErrorCode::kInvalidFile,
                fmt::format("cannot read the scenario \"{}\": {}", path, std::generic_category().message(errno)));
  }
  return text;
}

Result<std::unique_ptr<Backend>> make_backend(const SimulatorOptions& options, Doorbell& doorbell) {
  if (!options.scenario.empty()) {
    auto text = read_file(options.scenario);
    if (!text) return std::unexpected(text.error());
    auto scenario = simulator::parse_scenario(*text, options.scenario);
    if (!scenario) return std::unexpected(scenario.error());
    return std::make_unique<simulator::ScenarioPlayer>(std::move(*scenario), options.log, doorbell);
  }
  if (!options.replay.empty()) return simulator::Replay::open(options.replay);
  simulator::ShopOptions shop{.rows_per_second = options.rows_per_second, .seed = options.seed};
  return std::make_unique<simulator::Shop>(shop, doorbell);
}

}  // namespace

Result<std::unique_ptr<Simulator>> Simulator::start(const SimulatorOptions& options) {
  if (!(options.rows_per_second >= 0) || std::isinf(options.rows_per_second)) {
    return fail(ErrorCode::kUsage, fmt::format("rows per second cannot be \"{}\"", options.rows_per_second));
  }
  if (!options.replay.empty() && !options.scenario.empty()) {
    return fail(ErrorCode::kUsage, fmt::format("cannot play the transcript \"{}\" and the scenario \"{}\" at once",
                                               options.replay, options.scenario));
  }
  auto doorbell = std::make_unique<Doorbell>();
  auto backend = make_backend(options, *doorbell);
  if (!backend) return std::unexpected(backend.error());
  auto simulator = std::make_unique<GrpcSimulator>(std::move(doorbell), std::move(*backend));
  if (auto listening = simulator->listen(options.listen); !listening) return std::unexpected(listening.error());
  return simulator;
}

}  // namespace vstream
