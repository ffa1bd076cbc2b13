#include "tail_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "help.h"
#include "ready.h"
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
  vstream tail commerce --from @position.json -e         what came since then, then end
  vstream tail commerce --exclude 'commerce./audit_.*/' --columns 'commerce.customer: id,name'
                                                         without some tables; two columns of another
  vstream tail customer/-80 | jq -c 'select(.op=="u") | .after'
                                                         one shard; rows as they were updated
)";

Result<std::unique_ptr<Sink>> make_sink(const TailArguments& arguments, Reporter& reporter) {
  if (!arguments.file) {
    auto sink = make_fd_sink(STDOUT_FILENO);
    const Colour colour = colour_for(STDOUT_FILENO, arguments.color);
    const bool for_people = colour == Colour::kOn || ::isatty(STDOUT_FILENO) != 0;
    return for_people ? make_terminal_sink(std::move(sink), colour) : std::move(sink);
  }
  return make_file_sink(*arguments.file, [&](LogLevel level, std::string_view text) { reporter.log(level, text); });
}

ExitCode killed_by(int signal) { return static_cast<ExitCode>(static_cast<int>(ExitCode::kSignal) + signal); }

ExitCode report_end(const TailEnd& end, const Stopped& stopped, Reporter& reporter) {
  if (end.reason == EndReason::kPipe || stopped.cause == StopCause::kReaderGone) return ExitCode::kOk;
  std::string position = end.position.empty() ? "" : ", at " + vgtid_to_short(end.position);
  if (end.copy_unfinished) position = ", the copy is not complete";
  if (end.goal_missed) {
    reporter.log(LogLevel::kWarning, fmt::format("{} passed before the goal was met",
                                                 end.reason == EndReason::kIdle ? "--idle-timeout" : "--duration"));
  }
  reporter.log(LogLevel::kInfo, fmt::format("ended: {}, {} {}{}", end_reason_name(end.reason), end.rows,
                                            end.rows == 1 ? "row" : "rows", position));
  if (end.lines_not_taken > 0) {
    reporter.log(LogLevel::kError, fmt::format("{} lines were not taken by the reader of the output within "
                                               "--shutdown-grace",
                                               end.lines_not_taken));
    return stopped.signal != 0 ? killed_by(stopped.signal) : ExitCode::kIo;
  }
  return end.goal_missed ? ExitCode::kNo : ExitCode::kOk;
}

// The stream itself, with everything that watches it.
ExitCode stream(const TailArguments& arguments, const TailOptions& options, std::chrono::milliseconds grace, Sink& sink,
                Reporter& reporter) {
  using Clock = std::chrono::steady_clock;
  Supervision supervision{.output_fd = arguments.file ? -1 : STDOUT_FILENO,
                          .grace = grace,
                          .give_up_at = [&](Clock::time_point moment) { sink.give_up_at(moment); },
                          .on_hangup = {}};
  if (arguments.file) supervision.on_hangup = [&] { sink.request_reopen(); };
  if (options.duration) sink.give_up_at(Clock::now() + *options.duration + grace);
  const TailHooks hooks{.started =
                            [&](const Vgtid& position) {
                              if (auto told = tell_ready(arguments.ready_file, position); !told) {
                                reporter.log(LogLevel::kWarning, told.error().message);
                              }
                            },
                        .ending = [&] { sink.give_up_at(Clock::now() + grace); }};
  std::optional<Result<TailEnd>> end;
  const Stopped stopped = supervise(supervision, [&](std::stop_token stop) {
    try {
      end = tail(
          options, sink, std::move(stop), [&](LogLevel level, std::string_view text) { reporter.log(level, text); },
          hooks);
    } catch (const std::exception& exception) {
      end = fail(ErrorCode::kInternal, fmt::format("internal error: {}", exception.what()), "please report this");
    }
  });
  if (*end) return report_end(**end, stopped, reporter);
  const ExitCode code = reporter.error(end->error());
  return stopped.signal != 0 && code == ExitCode::kIo ? killed_by(stopped.signal) : code;
}

ExitCode run_tail(const TailArguments& arguments) {
  Reporter reporter(arguments.verbose - arguments.quiet, colour_for(STDERR_FILENO, arguments.color));
  const auto options = parse_tail_options(arguments);
  if (!options) return reporter.error(options.error());
  const auto grace = parse_shutdown_grace(arguments);
  if (!grace) return reporter.error(grace.error());
  if (arguments.ready_file) {
    if (auto ready = prepare_ready_file(*arguments.ready_file, arguments.file); !ready) {
      return reporter.error(ready.error());
    }
  }
  if (options->flags.minimize_skew) {
    reporter.log(LogLevel::kWarning, "minimize_skew is known to stall streams of more than two shards");
  }
  const auto sink = make_sink(arguments, reporter);
  if (!sink) return reporter.error(sink.error());
  return stream(arguments, *options, *grace, **sink, reporter);
}

// What other tools' users type without thinking. Hidden: there is nothing to choose.
void refuse_follow_flags(CLI::App& tail) {
  tail.add_flag_callback(
          "-f,-F,--follow", [] { throw CLI::ValidationError("tail always follows; to write to a file use -o"); }, "")
      ->group("");
}

// One option, one value: what follows it may be a selector.
void add_list(CLI::App& tail, const std::string& name, std::vector<std::string>& values, const std::string& text) {
  tail.add_option(name, values, text)->allow_extra_args(false);
}

void add_selection_options(CLI::App& tail, TailArguments& arguments) {
  add_list(tail, "--exclude", arguments.exclude, "leave out what this SELECTOR takes; may be repeated");
  add_list(tail, "--where", arguments.where,
           "'KEYSPACE.TABLE: CONDITION': only rows for which it holds, as VTGate sees it; may be repeated");
  add_list(tail, "--columns", arguments.columns,
           "'KEYSPACE.TABLE: COLUMN,COLUMN': only these columns; may be repeated");
  tail.add_option("--ops", arguments.ops, "only rows that were created, updated, deleted, read by a copy: c,u,d,r");
  tail.add_flag("--internal-tables", arguments.internal_tables,
                "also the tables with which gh-ost and pt-online-schema-change work");
  tail.add_option("--cells", arguments.cells, "cells of tablets to stream from, separated by commas");
  tail.add_option("--cell-preference", arguments.cell_preference,
                  "preferlocalwithalias (VTGate's default), or onlyspecified: no other cells than --cells");
  add_list(tail, "--vstream-flag", arguments.vstream_flags,
           "NAME=VALUE: a flag of VTGate's by its own name, such as transaction_chunk_size; may be repeated");
}

void add_options(CLI::App& tail, TailArguments& arguments) {
  tail.add_option("SELECTOR", arguments.selectors,
                  "KEYSPACE, KEYSPACE.TABLE, KEYSPACE./REGEX/, KEYSPACE/SHARD or KEYSPACE/SHARD.TABLE");
  add_selection_options(tail, arguments);
  tail.add_option("-a,--address", arguments.address, "HOST:PORT of VTGate's gRPC service")->capture_default_str();
  tail.add_option("--from", arguments.from,
                  "where to begin: current (default), copy, a VGTID, @FILE with one, or ks/shard@GTID,...");
  tail.add_option("-c,-n,--count", arguments.count, "end after exactly so many rows");
  tail.add_option("--until", arguments.until,
                  "end at a goal: current (what the primaries have now), a VGTID, @FILE with one, copy-completed");
  tail.add_flag("-e,--exit-at-end", arguments.exit_at_end, "the same as --until current");
  tail.add_option("--duration", arguments.duration, "end after so long: 10s, 1h30m");
  tail.add_option("--idle-timeout", arguments.idle_timeout, "end when nothing came for so long; a copy is never idle");
  tail.add_option("--skip-transaction", arguments.skip,
                  "KEYSPACE/SHARD@UUID:N: step over one that the tablets cannot read; repeatable")
      ->allow_extra_args(false);
  tail.add_option("--tablet-type", arguments.tablet_type, "primary, replica or rdonly")->capture_default_str();
  tail.add_option("-o,--file", arguments.file, "append to this file instead of stdout");
  tail.add_option("--format", arguments.format, "native, or raw: responses as received, for a replay or a bug report")
      ->capture_default_str();
  tail.add_option("--emit", arguments.emit,
                  "which lines to print: row,ddl,... or changes to the default: +commit,-ddl; all");
  tail.add_flag("--key", arguments.key, "give each row its primary key's columns as \"key\"");
  tail.add_option("--as", arguments.as,
                  "print types in other forms, a list of: bigint=string, decimal=number, timestamp=raw, binary=hex, "
                  "json=string, set=array");
  tail.add_option("--partial-images", arguments.partial_images, "rows that miss columns: stop, or mark them and go on")
      ->capture_default_str();
  tail.add_option("--retry-for", arguments.retry_for,
                  "how long a broken stream is tried again; forever, or 0 for never")
      ->capture_default_str();
  tail.add_flag("--retry-start", arguments.retry_start, "try again also when the first connection cannot be made");
  tail.add_option("--liveness-timeout", arguments.liveness_timeout,
                  "break a stream off that is silent for so long; 0: never")
      ->capture_default_str();
  tail.add_option("--startup-timeout", arguments.startup_timeout, "until every shard must have started; 0: no limit")
      ->capture_default_str();
  tail.add_option("--heartbeat-interval", arguments.heartbeat_interval, "of VTGate, whole seconds")
      ->capture_default_str();
  tail.add_flag("--stream-keyspace-heartbeats", arguments.stream_keyspace_heartbeats,
                "ask the tablets for their own heartbeats, too");
  tail.add_option("--shard-stall-timeout", arguments.shard_stall_timeout,
                  "break off when a shard's own heartbeats cease for so long; 0: never")
      ->capture_default_str();
  tail.add_option("--shutdown-grace", arguments.shutdown_grace,
                  "at the end, how long the output's reader may take for the rest")
      ->capture_default_str();
  tail.add_option("--ready-file", arguments.ready_file,
                  "write the position here once the stream has started: changes made from then on will come");
  tail.add_option("--max-transaction-memory", arguments.max_transaction_memory,
                  "larger transactions wait for their end in TMPDIR")
      ->capture_default_str();
  tail.add_option("--max-transaction-disk", arguments.max_transaction_disk, "larger ones end the run")
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
