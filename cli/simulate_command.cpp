#include "simulate_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "help.h"
#include "reporter.h"
#include "supervisor.h"
#include "terminal.h"
#include "vstream/simulator.h"

namespace vstream::cli {
namespace {

struct SimulateArguments {
  SimulatorOptions options = {};
  std::string print_address_to = {};
};

constexpr const char* kExamples =
    R"(  vstream simulate                                   a demo shop: keyspaces commerce and customer
  vstream simulate silent.json                       plays a scenario, see vstream-scenario(5)
  vstream simulate --replay recorded.jsonl           plays what `vstream tail --format raw` recorded
  vstream simulate --print-address-to address.txt    for scripts: the file holds HOST:PORT when it is ready
)";

sigset_t go_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

// Written beside and renamed, so that a reader never sees half an address.
bool write_address(const std::string& path, const std::string& address) {
  const std::string unfinished = path + ".tmp";
  {
    std::ofstream file(unfinished);
    file << address << '\n';
    if (!file.flush()) return false;
  }
  return std::rename(unfinished.c_str(), path.c_str()) == 0;
}

// Each SIGUSR1 lets one step of the scenario go on. On a thread of its own; the signal has to be blocked in all.
void forward_go_signals(const std::stop_token& stop, Simulator& simulator) {
  constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 20'000'000};
  const sigset_t go = go_signal();
  while (!stop.stop_requested()) {
    if (::sigtimedwait(&go, nullptr, &kLook) == SIGUSR1) simulator.go();
  }
}

ExitCode run_simulate(const SimulateArguments& arguments) {
  Reporter reporter(0, colour_for(STDERR_FILENO, "auto"));
  block_signals();
  const sigset_t go = go_signal();
  ::pthread_sigmask(SIG_BLOCK, &go, nullptr);
  SimulatorOptions options = arguments.options;
  options.log = [&reporter](LogLevel level, std::string_view text) { reporter.log(level, text); };
  const auto simulator = Simulator::start(options);
  if (!simulator) return reporter.error(simulator.error());
  const std::string& address = (*simulator)->address();
  fmt::print("{}\n", address);
  std::fflush(stdout);
  if (!arguments.print_address_to.empty() && !write_address(arguments.print_address_to, address)) {
    return reporter.error(
        {.code = ErrorCode::kOutput, .message = fmt::format("could not write \"{}\"", arguments.print_address_to)});
  }
  const bool shop = options.replay.empty() && options.scenario.empty();
  reporter.log(LogLevel::kInfo, fmt::format("a simulated VTGate listens on {}; try: vstream tail {} -a {}", address,
                                            shop ? "customer" : "KEYSPACE", address));
  const std::jthread forwarder([&simulator](const std::stop_token& stop) { forward_go_signals(stop, **simulator); });
  wait_for_signal();
  return (*simulator)->unexpected_calls() == 0 ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void add_simulate_command(CLI::App& program, std::function<ExitCode()>& run) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* const simulate =
      program.add_subcommand("simulate", "Run an embedded VTGate, to try vstream on and for tests");
  set_examples(*simulate, kExamples);
  SimulatorOptions& options = arguments->options;
  simulate->add_option("SCENARIO", options.scenario, "a file that says what to be and what to play");
  simulate->add_option("--listen", options.listen, "HOST:PORT; port 0 takes a free one")->capture_default_str();
  simulate->add_option("--replay", options.replay, "a transcript: one response in protobuf JSON a line");
  simulate->add_option("--rows-per-second", options.rows_per_second, "how fast the demo shop's orders arrive")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  simulate->add_option("--seed", options.seed, "of the demo shop's data")->capture_default_str();
  simulate->add_option("--print-address-to", arguments->print_address_to, "write HOST:PORT to this file when ready");
  simulate->callback([arguments, &run] { run = [arguments] { return run_simulate(*arguments); }; });
}

}  // namespace vstream::cli
