#include "tail_options.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "tail_selection.h"
#include "units.h"

namespace vstream::cli {
namespace {

// For `option VALUE` where VALUE is one of a few words.
template <typename Value, std::size_t kCount>
Result<Value> parse_word(std::string_view option, std::string_view text,
                         const std::array<std::pair<std::string_view, Value>, kCount>& words) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  }
  return fail(ErrorCode::kUsage, fmt::format("{} does not know \"{}\"", option, text), "it is one of: " + known);
}

std::unexpected<Error> for_option(std::string_view option, Error error) {
  error.message = fmt::format("{}: {}", option, error.message);
  return std::unexpected(std::move(error));
}

constexpr std::uint64_t kLargestCount = std::numeric_limits<std::int64_t>::max();

// Nobody types more than this into a position file; a whole disk is not read by mistake.
constexpr std::size_t kLargestPositionFile = std::size_t{64} << 20U;

Result<std::string> read_position_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  text.resize(kLargestPositionFile + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad() || (text.empty() && file.fail() && !file.eof())) {
    return fail(ErrorCode::kInvalidFile, fmt::format("could not read the position file \"{}\"", path));
  }
  if (text.size() > kLargestPositionFile) {
    return fail(ErrorCode::kInvalidFile, fmt::format("the position file \"{}\" is too large to be one", path));
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  return text;
}

// "2026-11-30…", "10m": people ask for a time.
bool looks_like_a_time(std::string_view text) {
  if (parse_duration(text)) return true;
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
         std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

std::optional<Line> line_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Line>, 13> kNames = {{{"row", Line::kRow},
                                                                         {"ddl", Line::kDdl},
                                                                         {"reshard", Line::kReshard},
                                                                         {"copy_completed", Line::kCopyCompleted},
                                                                         {"copy_restarted", Line::kCopyRestarted},
                                                                         {"skipped", Line::kSkipped},
                                                                         {"begin", Line::kBegin},
                                                                         {"commit", Line::kCommit},
                                                                         {"fields", Line::kFields},
                                                                         {"journal", Line::kJournal},
                                                                         {"heartbeat", Line::kHeartbeat},
                                                                         {"other", Line::kOther},
                                                                         {"end", Line::kEnd}}};
  for (const auto& [known, line] : kNames) {
    if (known == name) return line;
  }
  return std::nullopt;
}

// A VGTID, or @FILE that holds one; `others` are the words that the option takes besides.
Result<Vgtid> parse_position(std::string_view option, const std::string& text, std::string_view others) {
  if (text.find_first_of("@/[{") == std::string::npos) {
    return fail(ErrorCode::kUsage, fmt::format("{} does not know \"{}\"", option, text),
                fmt::format("it is: {}, a VGTID, @FILE that holds one, or keyspace/shard@GTID,...", others));
  }
  std::string position = text;
  if (text.starts_with('@')) {
    auto read = read_position_file(text.substr(1));
    if (!read) return std::unexpected(std::move(read.error()));
    position = *std::move(read);
  }
  auto vgtid = parse_vgtid(position);
  if (!vgtid) return for_option(option, std::move(vgtid.error()));
  return vgtid;
}

Result<void> parse_until(const TailArguments& arguments, TailOptions& options) {
  if (arguments.exit_at_end && arguments.until) {
    return fail(ErrorCode::kUsage, "--exit-at-end and --until exclude each other", "--exit-at-end is --until current");
  }
  if (arguments.exit_at_end || arguments.until == "current") {
    options.until = StopAt{};
    return {};
  }
  if (!arguments.until) return {};
  if (*arguments.until != "copy-completed" && *arguments.until != "copy_completed") {
    if (looks_like_a_time(*arguments.until)) {
      return fail(
          ErrorCode::kUsage,
          fmt::format("--until \"{}\": Vitess keeps no time index, a stream cannot end at a time", *arguments.until),
          "to end after some time use --duration");
    }
    auto target = parse_position("--until", *arguments.until, "current, copy-completed (with --from copy)");
    if (!target) return std::unexpected(std::move(target.error()));
    options.until = StopAt{.kind = StopAt::Kind::kPositions, .positions = *std::move(target)};
    return {};
  }
  if (options.from.kind != StartAt::Kind::kCopy) {
    return fail(ErrorCode::kUsage, "--until copy-completed needs --from copy: without it nothing is copied");
  }
  options.until_copy_completed = true;
  return {};
}

Result<void> parse_skip(const TailArguments& arguments, TailOptions& options) {
  for (const std::string& text : arguments.skip) {
    auto transactions = parse_vgtid(text);
    if (!transactions) {
      transactions.error().hint = "it is keyspace/shard@UUID:N, the transaction that the message of exit code 65 names";
      return for_option("--skip-transaction", std::move(transactions.error()));
    }
    options.skip.insert(options.skip.end(), transactions->begin(), transactions->end());
  }
  return {};
}

Result<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count > kLargestCount) {
    return fail(ErrorCode::kUsage, fmt::format("--count \"{}\" is not a number of rows", text), "it is 1 or more");
  }
  if (count == 0) return fail(ErrorCode::kUsage, "--count 0 would print nothing", "it is 1 or more");
  return count;
}

// HOST:PORT; an IPv6 address in brackets.
Result<void> check_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool port_ok = error == std::errc() && end == port.data() + port.size() && number >= 1 && number <= 65535;
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (!host.empty() && port_ok && (bracketed || host.find(':') == std::string_view::npos)) return {};
  return fail(ErrorCode::kUsage, fmt::format("--address \"{}\" is not HOST:PORT", text),
              "for example vtgate.example:15991, 127.0.0.1:15991 or [::1]:15991");
}

Result<void> parse_limits(const TailArguments& arguments, TailOptions& options) {
  const auto timeout = parse_duration(arguments.connect_timeout);
  if (!timeout) return for_option("--connect-timeout", timeout.error());
  options.connection.connect_timeout = *timeout;
  const auto size = parse_size(arguments.max_message_size);
  if (!size) return for_option("--max-message-size", size.error());
  options.connection.max_message_size = *size;
  if (arguments.count) {
    const auto count = parse_count(*arguments.count);
    if (!count) return std::unexpected(count.error());
    options.count = *count;
  }
  if (arguments.duration) {
    const auto duration = parse_duration(*arguments.duration);
    if (!duration) return for_option("--duration", duration.error());
    options.duration = *duration;
  }
  if (arguments.idle_timeout) {
    const auto idle = parse_duration(*arguments.idle_timeout);
    if (!idle) return for_option("--idle-timeout", idle.error());
    options.idle_timeout = *idle;
  }
  return {};
}

// Whole seconds, as VTGate's flag has them.
Result<std::chrono::seconds> parse_heartbeat_interval(const std::string& text) {
  const auto interval = parse_duration(text);
  if (!interval) return for_option("--heartbeat-interval", interval.error());
  const auto whole = std::chrono::floor<std::chrono::seconds>(*interval);
  if (whole != *interval || whole < std::chrono::seconds(1) || whole > std::chrono::hours(1)) {
    return fail(ErrorCode::kUsage, fmt::format("--heartbeat-interval \"{}\" cannot be asked for", text),
                "it is whole seconds, from 1s to 1h");
  }
  return whole;
}

Result<void> parse_liveness(const TailArguments& arguments, TailOptions& options) {
  const auto interval = parse_heartbeat_interval(arguments.heartbeat_interval);
  if (!interval) return std::unexpected(interval.error());
  options.heartbeat_interval = *interval;
  const std::array<std::tuple<std::string_view, const std::string*, std::chrono::milliseconds*>, 3> timeouts = {{
      {"--liveness-timeout", &arguments.liveness_timeout, &options.liveness_timeout},
      {"--startup-timeout", &arguments.startup_timeout, &options.startup_timeout},
      {"--shard-stall-timeout", &arguments.shard_stall_timeout, &options.shard_stall_timeout},
  }};
  for (const auto& [option, text, value] : timeouts) {
    const auto parsed = *text == "0" ? std::chrono::milliseconds(0) : parse_duration(*text);
    if (!parsed) return for_option(option, parsed.error());
    *value = *parsed;
  }
  if (options.liveness_timeout.count() != 0 && options.liveness_timeout < 2 * options.heartbeat_interval) {
    return fail(ErrorCode::kUsage,
                fmt::format("--liveness-timeout {} is less than twice --heartbeat-interval {}",
                            arguments.liveness_timeout, arguments.heartbeat_interval),
                "a healthy idle stream would be broken off; 0 is no limit");
  }
  options.stream_keyspace_heartbeats = arguments.stream_keyspace_heartbeats;
  if (options.shard_stall_timeout.count() != 0 && !options.stream_keyspace_heartbeats) {
    return fail(ErrorCode::kUsage, "--shard-stall-timeout needs --stream-keyspace-heartbeats",
                "without the tablets' own heartbeats an idle shard looks like a dead one");
  }
  return {};
}

Result<void> parse_retry(const TailArguments& arguments, TailOptions& options) {
  options.retry_start = arguments.retry_start;
  if (arguments.retry_for == "forever") {
    options.retry_for.reset();
    return {};
  }
  const auto budget = arguments.retry_for == "0" ? std::chrono::milliseconds(0) : parse_duration(arguments.retry_for);
  if (!budget) return for_option("--retry-for", budget.error());
  options.retry_for = *budget;
  if (options.retry_start && budget->count() == 0) {
    return fail(ErrorCode::kUsage, "--retry-start and --retry-for 0 exclude each other");
  }
  return {};
}

Result<void> parse_memory(const TailArguments& arguments, TailOptions& options) {
  const auto memory = parse_size(arguments.max_transaction_memory);
  if (!memory) return for_option("--max-transaction-memory", memory.error());
  options.max_transaction_memory = *memory;
  const auto disk = parse_size(arguments.max_transaction_disk);
  if (!disk) return for_option("--max-transaction-disk", disk.error());
  options.max_transaction_disk = *disk;
  return {};
}

Result<void> parse_words(const TailArguments& arguments, TailOptions& options) {
  const auto type = parse_word<TabletType>(
      "--tablet-type", arguments.tablet_type,
      std::array<std::pair<std::string_view, TabletType>, 3>{
          {{"primary", TabletType::kPrimary}, {"replica", TabletType::kReplica}, {"rdonly", TabletType::kRdonly}}});
  if (!type) return std::unexpected(type.error());
  options.tablet_type = *type;
  const auto format = parse_word<Format>(
      "--format", arguments.format,
      std::array<std::pair<std::string_view, Format>, 2>{{{"native", Format::kNative}, {"raw", Format::kRaw}}});
  if (!format) return std::unexpected(format.error());
  options.format = *format;
  const auto partial = parse_word<PartialImages>("--partial-images", arguments.partial_images,
                                                 std::array<std::pair<std::string_view, PartialImages>, 2>{
                                                     {{"stop", PartialImages::kStop}, {"mark", PartialImages::kMark}}});
  if (!partial) return std::unexpected(partial.error());
  options.partial_images = *partial;
  return {};
}

// What only the native format has.
Result<void> parse_lines(const TailArguments& arguments, TailOptions& options) {
  auto emit = parse_emit(arguments.emit);
  if (!emit) return std::unexpected(std::move(emit.error()));
  options.emit = *emit;
  if (arguments.as) {
    const auto forms = parse_value_forms(*arguments.as);
    if (!forms) return std::unexpected(forms.error());
    options.as = *forms;
  }
  options.key = arguments.key;
  if (options.format != Format::kRaw) return {};
  for (const auto& [option, given] :
       {std::pair("--emit", !arguments.emit.empty()), {"--as", arguments.as.has_value()}, {"--key", arguments.key}}) {
    if (!given) continue;
    return fail(ErrorCode::kUsage, fmt::format("--format raw and {} exclude each other", option),
                "raw prints every response whole");
  }
  return {};
}

}  // namespace

Result<std::chrono::milliseconds> parse_shutdown_grace(const TailArguments& arguments) {
  if (arguments.shutdown_grace == "0") return std::chrono::milliseconds(0);
  auto grace = parse_duration(arguments.shutdown_grace);
  return grace ? grace : for_option("--shutdown-grace", std::move(grace.error()));
}

Result<StartAt> parse_from(const std::string& text) {
  if (text == "current") return StartAt{};
  if (text == "copy") return StartAt{.kind = StartAt::Kind::kCopy, .positions = {}};
  if (text.empty()) {
    return fail(ErrorCode::kUsage, "--from is empty", "say where to begin: current, copy, or a position");
  }
  if (looks_like_a_time(text)) {
    return fail(ErrorCode::kUsage,
                fmt::format("--from \"{}\": Vitess keeps no time index, a stream cannot begin at a time", text),
                "begin at current, copy, or a position");
  }
  auto vgtid = parse_position("--from", text, "current, copy");
  if (!vgtid) return std::unexpected(std::move(vgtid.error()));
  return StartAt{.kind = StartAt::Kind::kPositions, .positions = *std::move(vgtid)};
}

Result<Lines> parse_emit(const std::string& text) {
  if (text.empty()) return Lines::defaults();
  const bool changes = text.starts_with('+') || text.starts_with('-');
  Lines lines = changes ? Lines::defaults() : Lines();
  std::string_view rest = text;
  while (true) {
    std::string_view name = rest.substr(0, rest.find(','));
    const std::string_view item = name;
    const bool remove = name.starts_with('-');
    const bool has_sign = remove || name.starts_with('+');
    if (has_sign) name.remove_prefix(1);
    if (has_sign != changes) {
      return fail(ErrorCode::kUsage, fmt::format("--emit \"{}\" mixes a list with changes to the default", text),
                  "write a list (row,ddl) or changes (+commit,-ddl)");
    }
    const auto line = line_named(name);
    if (name == "all" && !remove) {
      lines = Lines::all();
    } else if (!line) {
      return fail(ErrorCode::kUsage, fmt::format("--emit does not know \"{}\"", item),
                  "it is a list of: row, ddl, reshard, copy_completed, copy_restarted, skipped, begin, commit, fields, "
                  "journal, "
                  "heartbeat, "
                  "other, end, all");
    } else if (remove) {
      lines.remove(*line);
    } else {
      lines.add(*line);
    }
    if (rest.find(',') == std::string_view::npos) return lines;
    rest.remove_prefix(rest.find(',') + 1);
  }
}

Result<TailOptions> parse_tail_options(const TailArguments& arguments) {
  TailOptions options;
  options.connection.address = arguments.address;
  auto from = parse_from(arguments.from.value_or("current"));
  if (!from) return std::unexpected(std::move(from.error()));
  options.from = *std::move(from);
  if (arguments.file && arguments.file->empty()) {
    return fail(ErrorCode::kUsage, "--file is empty", "leave it out to write to stdout");
  }
  auto done = check_address(arguments.address);
  if (done) done = parse_limits(arguments, options);
  if (done) done = parse_liveness(arguments, options);
  if (done) done = parse_retry(arguments, options);
  if (done) done = parse_memory(arguments, options);
  if (done) done = parse_words(arguments, options);
  if (done) done = parse_lines(arguments, options);
  if (done) done = parse_until(arguments, options);
  if (done) done = parse_skip(arguments, options);
  if (done) done = parse_selection(arguments, options);
  if (!done) return std::unexpected(std::move(done.error()));
  return options;
}

}  // namespace vstream::cli
