#include "stream/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "encode/lines.h"
#include "stream/raw.h"
#include "stream/request.h"
#include "vtgate/table_name.h"
#include "vtgate/tablet_failure.h"

namespace vstream {
namespace {

std::string_view start_name(const StartAt& from) {
  if (from.copy) return "the middle of a copy";
  switch (from.kind) {
    case StartAt::Kind::kCurrent: return "now";
    case StartAt::Kind::kCopy: return "a copy";
    case StartAt::Kind::kPositions: return "the given position";
  }
  return "";
}

std::optional<CopyPlan> copy_of(const StartAt& from, const Selection& selection) {
  if (from.copy) return CopyPlan(*from.copy, selection.shards());
  if (from.kind == StartAt::Kind::kCopy) return CopyPlan(selection.tables(), selection.shards());
  return std::nullopt;
}

ShardPositions::Map start_positions(const TailOptions& options, const Selection& selection) {
  ShardPositions::Map positions;
  for (const std::string& shard : selection.shards()) {
    positions[shard] = options.from.kind == StartAt::Kind::kCurrent ? "current" : "";
  }
  for (const ShardPosition& position : options.from.positions) positions[position.shard] = position.gtid;
  return positions;
}

JsonWriterOptions writer_options(const TailOptions& options, const LogHook& log) {
  // Raw prints no rows of ours, and every response.
  if (options.format == Format::kRaw) return {.partial = PartialImages::kMark};
  return {.partial = options.partial_images, .key = options.key, .log = options.emit.has(Line::kRow) ? log : LogHook()};
}

LivenessPolicy liveness_of(const TailOptions& options, bool started_before) {
  return {.liveness = options.liveness_timeout,
          .startup = options.startup_timeout,
          .liveness_before_start = started_before,
          .shard_stall = options.shard_stall_timeout};
}

}  // namespace

Session::Session(const TailOptions& options, Selection selection, Surroundings surroundings, std::stop_token stop)
    : options_(options),
      selection_(std::move(selection)),
      world_(std::move(surroundings)),
      stop_(std::move(stop)),
      sink_(world_.sink, world_.clock,
            [this](TimePoint::duration time) {
              if (call_) call_->was_blocked(time);
            }),
      own_writer_(writer_options(options, world_.log)),
      writer_(world_.writer != nullptr ? *world_.writer : own_writer_),
      memory_({.memory = options.max_transaction_memory, .disk = options.max_transaction_disk}, world_.log),
      own_rows_(options.count),
      output_(sink_, world_.rows != nullptr ? *world_.rows : own_rows_),
      state_(selection_.to_string(), world_.log),
      failures_({.budget = options.retry_for}, world_.random),
      positions_(start_positions(options, selection_)),
      charsets_(world_.ask_collations),
      copy_(copy_of(options.from, selection_)) {
  if (world_.idle != nullptr) idle_.emplace(*world_.idle);
  ends_at_ = world_.ends_at;
  if (options.duration && !ends_at_) ends_at_ = world_.clock.now() + *options.duration;
}

Result<TailEnd> Session::run() {
  Result<RequestEnd> last = RequestEnd::kTableFinished;
  while (last && *last == RequestEnd::kTableFinished) {
    last = run_request();
    if (last) continue;
    const auto again = wait_to_try_again(std::move(last.error()));
    if (!again) {
      last = std::unexpected(again.error());
    } else {
      last = *again ? RequestEnd::kTableFinished : RequestEnd::kStop;
    }
  }
  return end(std::move(last));
}

// Sends what comes next, and reads until it is done or broken.
Result<Session::RequestEnd> Session::run_request() {
  if (state_.state() != SessionState::kConnecting) state_.change(SessionState::kConnecting, "the next request");
  positions_.begin_request();
  reshards_.begin_request();
  if (auto concrete = make_positions_concrete(); !concrete) return std::unexpected(std::move(concrete.error()));
  if (auto begun = begin_goals(); !begun) return std::unexpected(std::move(begun.error()));
  if (copying()) {
    if (auto prepared = prepare_copy(); !prepared) return std::unexpected(std::move(prepared.error()));
  }
  if (!copying() && options_.until_copy_completed) {
    reason_ = EndReason::kCopyCompleted;
    return RequestEnd::kStop;
  }
  if (at_target()) {
    reason_ = world_.until->reason();
    return RequestEnd::kStop;
  }
  const auto servable = ask_whether_servable();
  if (!servable) return std::unexpected(servable.error());
  learn_row_images();
  const auto request = copying() ? make_copy_request(options_, selection_, positions_.map(), *copy_)
                                 : make_stream_request(options_, selection_, positions_.map());
  auto ended = run_call(request, *servable);
  if (ended && *ended == RequestEnd::kTableFinished && copying()) copy_->next_table();
  return ended;
}

// VTGate would hunt for a tablet for 90 s, and then not tell that there is none.
Result<std::set<std::string>> Session::ask_whether_servable() {
  auto servable = world_.check_positions(positions_.vgtid(selection_.keyspace()));
  if (!servable || !said_to_be_lost_) return servable;
  Error lost = *std::exchange(said_to_be_lost_, std::nullopt);
  const auto shards = followed_shards();
  const bool all = std::ranges::all_of(shards, [&](const std::string& shard) { return servable->contains(shard); });
  if (all) return servable;
  lost.grpc_code = -1;  // asked for: it stands
  return std::unexpected(std::move(lost));
}

// Once for each shard: a change of it is seen in the rows, but for the first of them.
void Session::learn_row_images() {
  if (!world_.logs_whole_rows || options_.format == Format::kRaw) return;
  for (const std::string& shard : followed_shards()) {
    if (!whole_rows_.contains(shard)) whole_rows_[shard] = world_.logs_whole_rows(shard);
  }
}

bool Session::may_miss_columns(std::string_view shard, std::string_view table) const {
  const auto whole = whole_rows_.find(shard);
  return (whole != whole_rows_.end() && !whole->second) ||
         partial_tables_.contains({std::string(shard), std::string(table)});
}

Result<Session::RequestEnd> Session::run_call(const vtgate::VStreamRequest& request,
                                              const std::set<std::string>& servable) {
  world_.log(LogLevel::kDebug, "filter: " + filter_to_string(request.filter()));
  world_.log(LogLevel::kDebug, "request: " + request.ShortDebugString());
  call_.emplace(world_.streams.open(request), Watch(liveness_of(options_, started_once_), followed_shards(), servable),
                world_.clock);
  state_.change(SessionState::kStarting, "the request is sent");
  // Each call is a new stream with FIELD events of its own.
  Assembler assembler({.emit = options_.format == Format::kRaw ? Lines() : options_.emit,  // raw keeps no lines
                       .forms = options_.as,
                       .ops = options_.ops,
                       .wants = [this](std::string_view shard,
                                       std::string_view table) { return selection_.choice().wants(shard, table); },
                       .projects = [this](std::string_view table) { return selection_.choice().projects(table); },
                       .may_miss_columns = [this](std::string_view shard,
                                                  std::string_view table) { return may_miss_columns(shard, table); },
                       .fields_in_every_unit = world_.keeper != nullptr,
                       .observer = this,
                       .writer = &writer_,
                       .reshards = &reshards_,
                       .memory = &memory_});
  Result<RequestEnd> ended = RequestEnd::kStop;
  {
    const std::stop_callback wake_on_stop(stop_, [this] { call_->call().wake(); });
    ended = read_call(assembler);
  }
  partial_tables_.merge(assembler.partial_tables());
  call_.reset();
  if (idle_) idle_->works();
  if (!ended && ended.error().code == ErrorCode::kRejected && ended.error().hint.empty()) {
    ended.error().hint = "the filter was: " + filter_to_string(request.filter());
  }
  return ended;
}

Result<Session::RequestEnd> Session::read_call(Assembler& assembler) {
  while (true) {
    // What has come is printed before we wait for more.
    auto next = call_->poll();
    if (next && *next == WatchedCall::Next::kNothing) {
      if (auto flushed = output_.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
      next = call_->wait(next_deadline(), assembler.open_shard());
    } else if (next && call_->check_due()) {
      if (auto alive = call_->check(assembler.open_shard()); !alive) return std::unexpected(std::move(alive.error()));
    }
    if (!next) return std::unexpected(std::move(next.error()));
    note_started();
    if (failures_.retry().failing() && call_->now() >= Watch::kRecovered) note_progress();
    if (copying()) note_silent_copy();
    if (*next == WatchedCall::Next::kWoken) {
      reason_ = EndReason::kSignal;
      return RequestEnd::kStop;
    }
    if (*next == WatchedCall::Next::kResponse) {
      const auto more = take_response(assembler);
      if (!more) return std::unexpected(more.error());
      if (!*more) return output_.full() || at_target() ? RequestEnd::kStop : RequestEnd::kTableFinished;
      note_started();
    }
    if (out_of_time()) return RequestEnd::kStop;
    if (world_.clock.now() < check_target_at_ || copying()) continue;
    if (auto reachable = check_target(); !reachable) return std::unexpected(std::move(reachable.error()));
  }
}

// Returns false when the request is done: enough rows, or the table is finished.
Result<bool> Session::take_response(Assembler& assembler) {
  if (options_.format != Format::kRaw) {
    return assembler.consume(call_->response(), [this](const Unit& unit) { return take(unit); });
  }
  // A raw line is a whole response, so a stop condition ends after the response in which it is met.
  lines_.clear();
  if (auto written = append_raw_line(lines_, call_->response()); !written) {
    return std::unexpected(std::move(written.error()));
  }
  std::uint64_t rows = 0;
  bool more = true;
  const auto consumed = assembler.consume(call_->response(), [&](const Unit& unit) -> Result<bool> {
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

Result<bool> Session::take(const Unit& unit) {
  if (unit.kind == Unit::Kind::kCopyCompleted) return true;  // we know better: see CopyPlan
  if (left_shards_.contains(unit.shard)) return true;        // reverse replication: the new shards have it
  if (!world_.until || copying() || unit.shard.empty()) return take_wanted(unit);
  const auto verdict = world_.until->judge(unit.shard, unit.gtid, unit.transaction, unit.journal);
  if (!verdict) return std::unexpected(verdict.error());
  if (verdict->kind == Until::Verdict::Kind::kSilent) return true;
  Unit judged = unit;
  judged.gtid = verdict->gtid;
  if (verdict->kind == Until::Verdict::Kind::kOutside) {
    judged.lines = {};
    judged.rows = 0;
  }
  const auto more = take_wanted(judged);
  if (!more || !*more || !at_target()) return more;
  reason_ = world_.until->reason();
  return false;
}

Result<bool> Session::take_wanted(const Unit& unit) {
  if (auto known = check_shard(unit); !known) return std::unexpected(std::move(known.error()));
  bool whole = true;
  if (options_.format == Format::kNative) {
    const auto added = output_.add(unit.lines, unit.rows);
    if (!added) return std::unexpected(added.error());
    whole = *added;
  }
  if (idle_ && !unit.shard.empty() && (unit.rows > 0 || !unit.lines.empty())) idle_->brought(world_.clock.now());
  // A transaction that --count has cut is not finished: its shard's position stays before it.
  if (whole) {
    // Who keeps the position has the unit before it moves.
    auto noted = world_.keeper != nullptr ? output_.flush() : Result<void>();
    if (noted) noted = note_position(unit);
    if (noted) noted = settle();
    if (!noted) return std::unexpected(std::move(noted.error()));
  }
  if (output_.full()) {
    reason_ = EndReason::kCount;
    return false;
  }
  return !(copying() && copy_->table_finished());
}

// Shards that nobody announced: VTGate has gone on by itself.
Result<void> Session::check_shard(const Unit& unit) const {
  if (unit.shard.empty() || positions_.follows(unit.shard)) return {};
  return fail(
      ErrorCode::kStreamBroken,
      fmt::format("shard \"{}/{}\" appeared in the stream: the keyspace was resharded", unit.keyspace, unit.shard),
      copying() ? "the copy is not complete; start it again" : "start again from the position told");
}

Result<void> Session::note_position(const Unit& unit) {
  if (unit.shard.empty()) return {};
  if (unit.journal != nullptr) {
    if (positions_.journaled(unit.shard, *unit.journal)) return switch_shards(*unit.journal);
    return {};
  }
  if (!is_concrete(unit.gtid)) return {};
  const bool moved = positions_.moved(unit.shard, unit.gtid);
  if (copying()) copy_->shard_reported(unit.shard, *unit.cursors);
  if (moved || unit.rows > 0) note_progress();
  return {};
}

Result<void> Session::settle() {
  if (world_.keeper == nullptr) return {};
  if (auto flushed = output_.flush(); !flushed) return flushed;
  return sink_.timed([this] { return world_.keeper->settled(); });
}

Result<void> Session::switch_shards(const Journal& journal) {
  if (copying()) {
    // VTGate goes on by itself on the new shards and never copies the rest there: most rows would be missing.
    return fail(ErrorCode::kStreamBroken,
                fmt::format("keyspace \"{}\" was resharded while table \"{}\" was copied", selection_.keyspace(),
                            copy_->table()),
                "the copy is not complete; start it again");
  }
  if (selection_.names_shards()) {
    return fail(ErrorCode::kReshardSubset,
                fmt::format("the selected shards of keyspace \"{}\" were resharded", selection_.keyspace()),
                "select the keyspace, or its new shards");
  }
  for (const Participant& participant : journal.participants) {
    left_shards_.insert(participant.shard);
    call_->watch().forget(participant.shard);
  }
  for (const ShardPosition& shard : journal.shards) left_shards_.erase(shard.shard);
  return {};
}

void Session::note_started() {
  if (state_.state() != SessionState::kStarting || !call_->watch().started()) return;
  state_.change(copying() ? SessionState::kCopying : SessionState::kStreaming, "every shard has started");
  if (idle_ && !copying()) idle_->waits(world_.clock.now());
  if (std::exchange(started_once_, true)) return;
  const auto shards = followed_shards();
  world_.log(LogLevel::kInfo,
             fmt::format("streaming {} ({} {}) from {}", selection_.to_string(),
                         shards.size() == 1 ? "shard" : "shards", fmt::join(shards, ", "), start_name(options_.from)));
  if (world_.hooks.started) world_.hooks.started(positions_.vgtid(selection_.keyspace()));
}

// A transaction was finished after a failure, or the call has lived long: the next failure is a new one.
void Session::note_progress() {
  if (!failures_.retry().failing() || !call_->watch().started()) return;
  world_.log(LogLevel::kInfo, "streaming again");
  failures_.recovered();
}

// False: the run is to end.
Result<bool> Session::wait_to_try_again(Error error) {
  // One listing may have been older than the tablet that is asked to copy.
  if (error.code == ErrorCode::kUnknownTable && copying() && selection_.choice().may_grow()) {
    error.retriable = Retriable::kYes;
  }
  const bool first = !failures_.retry().failing();
  const std::string what = error.message;
  if (error.code == ErrorCode::kPositionLost && error.grpc_code >= 0) said_to_be_lost_ = error;
  const std::string where = place(error);
  const auto delay = failures_.judge(std::move(error), where, world_.clock.now());
  if (!delay) return std::unexpected(with_transaction(delay.error()));
  if (auto flushed = output_.flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  const std::string plan =
      fmt::format("{}; trying again in {:.1f} s", what, std::chrono::duration<double>(*delay).count());
  if (first) world_.log(LogLevel::kWarning, plan);
  state_.change(SessionState::kBackingOff, plan);
  const TimePoint again_at = world_.clock.now() + *delay;
  world_.clock.wait_until(ends_at_ ? std::min(again_at, *ends_at_) : again_at, stop_);
  if (stop_.stop_requested()) {
    reason_ = EndReason::kSignal;
    return false;
  }
  if (out_of_time()) return false;
  world_.streams.reconnect();
  return true;
}

void Session::shard_heard(std::string_view shard) { call_->watch().shard_heard(shard, call_->now()); }

void Session::keyspace_heartbeat(std::string_view shard) { call_->watch().keyspace_heartbeat(shard, call_->now()); }

// Raw lines hold no values.
Result<void> Session::columns_came(Table& table) {
  if (options_.format == Format::kRaw) return {};
  return sink_.timed([&] { return charsets_.complete(table); });
}

// Where the shard stands that the error is about: others may move on meanwhile.
std::string Session::place(const Error& error) const {
  const auto failure = tablet_failure(error.grpc_text);
  const auto shard = positions_.map().find(error.shard.empty() && failure ? failure->shard : error.shard);
  if (shard != positions_.map().end()) return shard->first + "@" + shard->second;
  return vgtid_to_short(positions_.vgtid(selection_.keyspace()));
}

std::vector<std::string> Session::followed_shards() const {
  std::vector<std::string> shards;
  for (const auto& [shard, gtid] : positions_.map()) shards.push_back(shard);
  return shards;
}

Result<TailEnd> Session::end(Result<RequestEnd> last) {
  idle_.reset();
  state_.change(SessionState::kDraining, last ? end_reason_name(reason_) : last.error().message);
  if (world_.hooks.ending) world_.hooks.ending();
  // Also before an error is told: what was finished stays finished.
  if (auto flushed = output_.flush(); !flushed && last) last = std::unexpected(std::move(flushed.error()));
  if (began_) {
    if (auto kept = world_.keeper->ended(); !kept && last) last = std::unexpected(kept.error());
  }
  if (!last && last.error().code == ErrorCode::kReaderGone) {
    last = RequestEnd::kStop;
    reason_ = EndReason::kPipe;
  }
  state_.change(SessionState::kStopped, "all is written");
  if (!last) return std::unexpected(std::move(last.error()));
  const bool goal = options_.count || options_.until_copy_completed || world_.until;
  return TailEnd{.reason = reason_,
                 .rows = output_.rows(),
                 // A stream from the middle of a copy would leave the rest of the tables out.
                 .position = copying() ? Vgtid() : positions_.vgtid(selection_.keyspace()),
                 .copy_unfinished = copying(),
                 .goal_missed = goal && (reason_ == EndReason::kDuration || reason_ == EndReason::kIdle)};
}

}  // namespace vstream
