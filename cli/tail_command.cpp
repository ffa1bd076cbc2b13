#include "tail_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "help.h"
#include "reporter.h"
#include "supervisor.h"
#include "tail_options.h"
#include "terminal.h"
#include "vstream/output.h"
#include "vstream/tail.h"

namespace vstream::cli {
namespace {

constexpr const char* kExamples = R"(  vstream tail commerce                                  changes from now on
  vstream tail commerce.product -c 5                     the next five rows of one table
  vstream tail commerce --from copy --until copy-completed -o commerce.jsonl
                                                         all rows as they are, then end
  vstream tail customer/-80 | jq -c 'select(.op=="u") | .after'
                                                         one shard; rows as they were updated
)";

Result<std::unique_ptr<Sink>> make_sink(const TailArguments& arguments, Reporter& reporter) {
  if (!arguments.file) {
    auto sink = make_fd_sink(STDOUT_FILENO);
    const bool coloured = colour_for(STDOUT_FILENO, arguments.color) == Colour::kOn;
    return coloured ? make_colour_sink(std::move(sink)) : std::move(sink);
  }
  return make_file_sink(*arguments.file, [&](LogLevel level, std::string_view text) { reporter.log(level, text); });
}

ExitCode report_end(const TailEnd& end, StopCause cause, Reporter& reporter) {
  if (end.reason == EndReason::kPipe || cause == StopCause::kReaderGone) return ExitCode::kOk;
  std::string position = end.position.empty() ? "" : ", at " + vgtid_to_short(end.position);
  if (end.copy_unfinished) position = ", the copy is not complete";
  if (end.goal_missed) reporter.log(LogLevel::kWarning, "--duration passed before the goal was met");
  reporter.log(LogLevel::kInfo, fmt::format("ended: {}, {} {}{}", end_reason_name(end.reason), end.rows,
                                            end.rows == 1 ? "row" : "rows", position));
  return end.goal_missed ? ExitCode::kNo : ExitCode::kOk;
}

ExitCode run_tail(const TailArguments& arguments) {
  Reporter reporter(arguments.verbose - arguments.quiet, colour_for(STDERR_FILENO, arguments.color));
  const auto options = parse_tail_options(arguments);
  if (!options) return reporter.error(options.error());
  const auto sink = make_sink(arguments, reporter);
  if (!sink) return reporter.error(sink.error());
  std::optional<Result<TailEnd>> end;
  const int output = arguments.file ? -1 : STDOUT_FILENO;
  const StopCause cause = supervise(output, [&](std::stop_token stop) {
    try {
      end = tail(*options, **sink, std::move(stop),
                 [&](LogLevel level, std::string_view text) { reporter.log(level, text); });
    } catch (const std::exception& exception) {
      end = fail(ErrorCode::kInternal, fmt::format("internal error: {}", exception.what()), "please report this");
    }
  });
  if (!*end) return reporter.error(end->error());
  return report_end(**end, cause, reporter);
}

// What other tools' users type without thinking. Hidden: there is nothing to choose.
void refuse_follow_flags(CLI::App& tail) {
  tail.add_flag_callback(
          "-f,-F,--follow", [] { throw CLI::ValidationError("tail always follows; to write to a file use -o"); }, "")
      ->group("");
}

void add_options(CLI::App& tail, TailArguments& arguments) {
  tail.add_option("SELECTOR", arguments.selectors,
                  "KEYSPACE, KEYSPACE.TABLE, KEYSPACE/SHARD or KEYSPACE/SHARD.TABLE; all of one keyspace");
  tail.add_option("-a,--address", arguments.address, "HOST:PORT of VTGate's gRPC service")->capture_default_str();
  tail.add_option("--from", arguments.from,
                  "where to begin: current (default), copy, a VGTID, @FILE with one, or ks/shard@GTID,...");
  tail.add_option("-c,-n,--count", arguments.count, "end after exactly so many rows");
  tail.add_option("--until", arguments.until, "end at a goal: copy-completed");
  tail.add_option("--duration", arguments.duration, "end after so long: 10s, 1h30m");
  tail.add_option("--tablet-type", arguments.tablet_type, "primary, replica or rdonly")->capture_default_str();
  tail.add_option("-o,--file", arguments.file, "append to this file instead of stdout");
  tail.add_option("--format", arguments.format, "native, or raw: responses as received, for a replay or a bug report")
      ->capture_default_str();
  tail.add_option("--emit", arguments.emit,
                  "which lines to print: row,ddl,... or changes to the default: +commit,-ddl; all");
  tail.add_option("--partial-images", arguments.partial_images, "rows that miss columns: stop, or mark them and go on")
      ->capture_default_str();
  tail.add_option("--connect-timeout", arguments.connect_timeout, "for the first connection")->capture_default_str();
  tail.add_option("--max-message-size", arguments.max_message_size, "of one response")->capture_default_str();
  tail.add_option("--color", arguments.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  tail.add_flag("-q,--quiet", arguments.quiet, "print errors only");
  tail.add_flag("-v,--verbose", arguments.verbose, "print what helps to find a fault");
}

}  // namespace

void add_tail_command(CLI::App& program, std::function<ExitCode()>& run) {
  const auto arguments = std::make_shared<TailArguments>();
  CLI::App* const tail = program.add_subcommand("tail", "Start a stream, print JSON lines");
  set_examples(*tail, kExamples);
  add_options(*tail, *arguments);
  refuse_follow_flags(*tail);
  tail->callback([arguments, &run] { run = [arguments] { return run_tail(*arguments); }; });
}

}  // namespace vstream::cli
