#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <string>

#include "exit_code.h"
#include "help.h"
#include "reporter.h"
#include "simulate_command.h"
#include "supervisor.h"
#include "tail_command.h"
#include "terminal.h"

namespace {

using vstream::cli::ExitCode;

constexpr const char* kExamples = R"(  vstream tail commerce                 print the changes of a keyspace from now on
  vstream tail commerce --from copy     print its rows first, then their changes
  vstream simulate                      run an embedded VTGate to try it on
)";

// What was asked for is told only if it can be read.
ExitCode end_of_output() { return std::cout.flush() ? ExitCode::kOk : ExitCode::kIo; }

bool has_command(const CLI::App& program, const std::string& name) {
  const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* c) { return c->get_name() == name; });
}

ExitCode usage_error(const CLI::App& program, const CLI::ParseError& error, const std::string& first_word) {
  const auto colour = vstream::cli::colour_for(2, "auto");
  std::string text = error.what();
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  const bool known = has_command(program, first_word);
  if (first_word.empty()) {
    text = "no command was given";
  } else if (!known) {
    text = fmt::format("there is no {} \"{}\"", first_word[0] == '-' ? "option" : "command", first_word);
  }
  const std::string hint = fmt::format("see vstream {}--help", known ? first_word + " " : "");
  vstream::cli::Reporter(0, colour).error({.code = vstream::ErrorCode::kUsage, .message = text, .hint = hint});
  return ExitCode::kUsage;
}

ExitCode run(int argc, char** argv) {
  CLI::App program("Streams changes out of Vitess as JSON lines", "vstream");
  program.require_subcommand(1);
  program.set_version_flag("--version", "vstream " VSTREAM_VERSION);
  std::function<ExitCode()> command;
  vstream::cli::add_tail_command(program, command);
  vstream::cli::add_simulate_command(program, command);
  program.add_subcommand("version", "Print the version")->callback([&command] {
    command = [] {
      std::cout << "vstream " VSTREAM_VERSION "\n";
      return end_of_output();
    };
  });
  std::string help;  // made before the words are read: afterwards it would be the chosen command's
  program.add_subcommand("help", "Print this help")->callback([&] {
    command = [&] {
      std::cout << help;
      return end_of_output();
    };
  });
  vstream::cli::set_examples(program, kExamples);  // after the commands, which would inherit them
  help = program.help();
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    program.exit(wanted);
    return end_of_output();
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error, argc > 1 ? argv[1] : "");
  }
  return command();
}

}  // namespace

int main(int argc, char** argv) {
  // What gRPC logs on its own is no message of ours; GRPC_VERBOSITY=debug still brings it.
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  vstream::cli::prepare_process();
  try {
    return static_cast<int>(run(argc, argv));
  } catch (const std::exception& exception) {
    vstream::cli::Reporter(0, vstream::cli::Colour::kOff)
        .error({.code = vstream::ErrorCode::kInternal, .message = exception.what(), .hint = "please report this"});
    return static_cast<int>(ExitCode::kSoftware);
  }
}
