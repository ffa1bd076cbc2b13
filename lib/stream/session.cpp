#include "stream/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "encode/lines.h"
#include "stream/raw.h"
#include "vtgate/grpc_stream_call.h"

namespace vstream {
namespace {

std::string_view start_name(StartAt::Kind kind) {
  switch (kind) {
    case StartAt::Kind::kCurrent: return "now";
    case StartAt::Kind::kCopy: return "a copy";
    case StartAt::Kind::kPositions: return "the given position";
  }
  return "";
}

ShardPositions start_positions(const TailOptions& options, const Selection& selection) {
  ShardPositions positions;
  for (const std::string& shard : selection.shards()) {
    positions[shard] = options.from.kind == StartAt::Kind::kCurrent ? "current" : "";
  }
  for (const ShardPosition& position : options.from.positions) positions[position.shard] = position.gtid;
  return positions;
}

// What VTGate puts in place of a position that a shard has not reported yet.
bool is_concrete(std::string_view gtid) { return !gtid.empty() && gtid != "current"; }

}  // namespace

Session::Session(const TailOptions& options, Selection selection, std::shared_ptr<grpc::Channel> channel, Sink& sink,
                 std::stop_token stop, const LogHook& log)
    : options_(options),
      selection_(std::move(selection)),
      channel_(std::move(channel)),
      stop_(std::move(stop)),
      log_(log),
      output_(sink, options.count),
      positions_(start_positions(options, selection_)),
      not_started_(selection_.shards().begin(), selection_.shards().end()) {
  if (options.from.kind == StartAt::Kind::kCopy) copy_.emplace(selection_.tables(), selection_.shards());
  // Nothing to copy. An empty position would ask VTGate for a copy all the same.
  if (copy_ && copy_->complete()) {
    for (auto& [shard, gtid] : positions_) gtid = "current";
  }
  if (options.duration) ends_at_ = real_clock().now() + *options.duration;
}

Result<TailEnd> Session::run() {
  Result<CallEnd> last = CallEnd::kTableFinished;
  if (copy_ && copy_->complete()) {
    log_(LogLevel::kWarning, fmt::format("\"{}\" has no tables to copy", selection_.to_string()));
    for (const std::string& shard : selection_.shards()) {
      auto told = shard_copied(shard, shard == selection_.shards().back());
      if (!told) return std::unexpected(std::move(told.error()));
    }
  }
  while (last && *last == CallEnd::kTableFinished && copy_ && !copy_->complete()) {
    log_(LogLevel::kInfo, fmt::format("copying table \"{}\"", copy_->table()));
    last = run_call(make_copy_request(options_, selection_, positions_, *copy_));
    if (last && *last == CallEnd::kTableFinished) copy_->next_table();
  }
  if (last && *last == CallEnd::kTableFinished) {
    if (options_.until_copy_completed) {
      reason_ = EndReason::kCopyCompleted;
    } else {
      last = run_call(make_stream_request(options_, selection_, positions_));
    }
  }
  return end(std::move(last));
}

Result<Session::CallEnd> Session::run_call(const vtgate::VStreamRequest& request) {
  log_(LogLevel::kDebug, "request: " + request.ShortDebugString());
  const std::unique_ptr<StreamCall> call = GrpcStreamSource(channel_).open(request);
  // Each call is a new stream with FIELD events of its own.
  Assembler assembler(
      {.emit = options_.emit,
       .partial_images = options_.format == Format::kRaw ? PartialImages::kMark : options_.partial_images,
       .wants = [this](std::string_view shard, std::string_view table) { return selection_.wants(shard, table); }});
  const std::stop_callback wake_on_stop(stop_, [&call] { call->wake(); });
  return read_call(*call, assembler);
}

Result<Session::CallEnd> Session::read_call(StreamCall& call, Assembler& assembler) {
  const UnitHandler handler = [this](const Unit& unit) { return take(unit); };
  while (true) {
    // What has come is printed before we wait for more.
    auto outcome = call.next(StreamCall::kAtOnce);
    if (outcome == StreamCall::Outcome::kTimeout) {
      if (auto flushed = output_.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
      outcome = call.next(deadline());
    }
    switch (outcome) {
      case StreamCall::Outcome::kResponse: break;
      case StreamCall::Outcome::kWoken: reason_ = EndReason::kSignal; return CallEnd::kStop;
      case StreamCall::Outcome::kTimeout: reason_ = EndReason::kDuration; return CallEnd::kStop;
      case StreamCall::Outcome::kEnded: return std::unexpected(call.error());
    }
    auto more = options_.format == Format::kRaw ? take_raw(call.response(), assembler)
                                                : assembler.consume(call.response(), handler);
    if (!more) return std::unexpected(std::move(more.error()));
    if (!*more) return output_.full() ? CallEnd::kStop : CallEnd::kTableFinished;
    if (ends_at_ && real_clock().now() >= *ends_at_) {
      reason_ = EndReason::kDuration;
      return CallEnd::kStop;
    }
  }
}

TimePoint Session::deadline() const { return ends_at_.value_or(TimePoint::max()); }

Result<bool> Session::take(const Unit& unit) {
  if (unit.kind == Unit::Kind::kCopyCompleted) return true;  // we know better: see CopyPlan
  if (copy_unfinished() && !unit.shard.empty() && !positions_.contains(unit.shard)) {
    // VTGate goes on by itself on the new shards and never copies the rest there: most rows would be missing.
    return fail(ErrorCode::kStreamBroken,
                fmt::format("shard \"{}/{}\" appeared while table \"{}\" was copied: the keyspace was resharded",
                            unit.keyspace, unit.shard, copy_->table()),
                "the copy is not complete; start it again", Retriable::kYes);
  }
  bool whole = true;
  if (options_.format == Format::kNative) {
    const auto added = output_.add(unit.lines, unit.rows);
    if (!added) return std::unexpected(added.error());
    whole = *added;
  }
  // A transaction that --count has cut is not finished: its shard's position stays before it.
  if (whole) {
    if (auto noted = note_position(unit); !noted) return std::unexpected(std::move(noted.error()));
  }
  if (output_.full()) {
    reason_ = EndReason::kCount;
    return false;
  }
  return !(copy_ && !copy_->complete() && copy_->table_finished());
}

// A raw line is a whole response, so a stop condition ends after the response in which it is met.
Result<bool> Session::take_raw(std::string_view response, Assembler& assembler) {
  lines_.clear();
  if (auto written = append_raw_line(lines_, response); !written) return std::unexpected(std::move(written.error()));
  std::uint64_t rows = 0;
  bool more = true;
  const auto consumed = assembler.consume(response, [&](const Unit& unit) -> Result<bool> {
    rows += unit.rows;
    auto taken = take(unit);
    if (taken && !*taken) more = false;
    return taken ? Result<bool>(true) : taken;
  });
  // Also what cannot be decoded is printed: that is what a bug report needs.
  if (auto added = output_.add_whole(lines_.view(), rows); !added) return std::unexpected(std::move(added.error()));
  if (!consumed) return consumed;
  if (output_.full()) reason_ = EndReason::kCount;
  return more && !output_.full();
}

Result<void> Session::note_position(const Unit& unit) {
  if (unit.shard.empty() || !is_concrete(unit.gtid)) return {};
  const auto position = positions_.find(unit.shard);
  if (position == positions_.end()) return {};
  position->second = unit.gtid;
  note_started(unit.shard);
  if (!copy_ || !copy_->shard_reported(unit.shard, *unit.cursors)) return {};
  return copy_->is_last_table() ? shard_copied(unit.shard, copy_->table_finished()) : Result<void>();
}

Result<void> Session::shard_copied(std::string_view shard, bool was_last) {
  if (options_.format != Format::kNative || !options_.emit.has(Line::kCopyCompleted)) return {};
  lines_.clear();
  append_copy_completed_line(lines_, selection_.keyspace(), shard);
  if (was_last) append_copy_completed_line(lines_, "", "");
  return output_.add_whole(lines_.view(), 0);
}

void Session::note_started(std::string_view shard) {
  const auto found = not_started_.find(shard);
  if (found == not_started_.end()) return;
  not_started_.erase(found);
  if (!not_started_.empty()) return;
  const auto& shards = selection_.shards();
  log_(LogLevel::kInfo,
       fmt::format("streaming {} ({} {}) from {}", selection_.to_string(), shards.size() == 1 ? "shard" : "shards",
                   fmt::join(shards, ", "), start_name(options_.from.kind)));
}

bool Session::copy_unfinished() const {
  return copy_ && !copy_->complete() && !(copy_->is_last_table() && copy_->table_finished());
}

Vgtid Session::position() const {
  Vgtid vgtid;
  if (copy_unfinished()) return vgtid;
  for (const auto& [shard, gtid] : positions_) {
    if (is_concrete(gtid)) vgtid.push_back({.keyspace = selection_.keyspace(), .shard = shard, .gtid = gtid});
  }
  return vgtid;
}

Result<TailEnd> Session::end(Result<CallEnd> last) {
  if (last) {
    if (options_.format == Format::kNative && options_.emit.has(Line::kEnd)) {
      lines_.clear();
      append_end_line(lines_, end_reason_name(reason_), output_.rows(), position());
      if (auto added = output_.add_whole(lines_.view(), 0); !added) last = std::unexpected(std::move(added.error()));
    }
  }
  // Also before an error is told: what was finished stays finished.
  if (auto flushed = output_.flush(); !flushed && last) last = std::unexpected(std::move(flushed.error()));
  if (!last && last.error().code == ErrorCode::kReaderGone) {
    last = CallEnd::kStop;
    reason_ = EndReason::kPipe;
  }
  if (!last) return std::unexpected(std::move(last.error()));
  const bool goal = options_.count || options_.until_copy_completed;
  return TailEnd{.reason = reason_,
                 .rows = output_.rows(),
                 .position = position(),
                 .copy_unfinished = copy_unfinished(),
                 .goal_missed = goal && reason_ == EndReason::kDuration};
}

}  // namespace vstream
