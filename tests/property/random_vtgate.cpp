#include "random_vtgate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "shard_stream.h"

namespace vstream::property {
namespace {

// Far more than any run needs.
constexpr std::size_t kMostSteps = 20'000;
constexpr std::size_t kMostIdleSteps = 300;

std::optional<std::size_t> find_shard(const History& history, std::string_view name) {
  const auto found = std::ranges::find(history.shards, name, &Shard::name);
  if (found == history.shards.end()) return std::nullopt;
  return static_cast<std::size_t>(found - history.shards.begin());
}

std::string select_all(const std::string& table) {
  std::string out = "select * from `";
  for (const char c : table) out.append(c == '`' ? 2 : 1, c);
  return out + "`";
}

/// What a request asks; `wrong` tells what is wrong with it.
Asked read_request(const History& history, const vtgate::VStreamRequest& request, std::string& wrong) {
  Asked asked{.matched = std::vector<bool>(history.tables.size()), .copy = {}};
  for (const binlogdata::Rule& rule : request.filter().rules()) {
    const auto table = history.find_table(rule.match());
    if (rule.match() == "/.*/" && rule.filter().empty()) {
      asked.matched.assign(history.tables.size(), true);
      asked.everything = true;
    } else if (table && rule.filter() == select_all(rule.match())) {
      asked.matched[*table] = true;
    } else {
      wrong = "a rule that no table has: " + rule.ShortDebugString();
    }
  }
  asked.copy.insert(request.flags().tables_to_copy().begin(), request.flags().tables_to_copy().end());
  if (request.vgtid().shard_gtids().empty()) wrong = "vgtid must have at least one value with a starting position";
  for (const binlogdata::ShardGtid& entry : request.vgtid().shard_gtids()) {
    if (entry.keyspace() != history.keyspace || !find_shard(history, entry.shard())) wrong = "an unknown shard";
  }
  return asked;
}

}  // namespace

class RandomVtgate::RandomCall final : public Call {
 public:
  RandomCall(RandomVtgate& vtgate, const vtgate::VStreamRequest& request)
      : vtgate_(vtgate), asked_(read_request(vtgate.history_, request, refusal_)), vgtid_(request.vgtid()) {
    if (!refusal_.empty()) return;
    for (binlogdata::ShardGtid& entry : *vgtid_.mutable_shard_gtids()) {
      copies_ = copies_ || entry.table_p_ks_size() > 0 || entry.gtid().empty();
      shards_.push_back(*find_shard(vtgate.history_, entry.shard()));
      streams_.emplace_back(vtgate.history_, shards_.back(), asked_, vgtid_, entry);
      if (!streams_.back().refusal().empty()) refusal_ = streams_.back().refusal();
    }
  }

  Step step() override;

 private:
  enum class Mood : std::uint8_t { kWell, kSilent, kStuck };

  Step play();
  std::optional<Step> fail();
  std::optional<Step> fail_with_status();
  bool retry_tablet();
  bool is_inside_transaction() const { return piece_has_time_ && sent_of_piece_ > 0 && !piece_.empty(); }
  bool next_piece();
  Step next_response();
  bool is_exhausted() const;

  RandomVtgate& vtgate_;
  std::string refusal_;
  Asked asked_;
  binlogdata::VGtid vgtid_;
  std::vector<std::size_t> shards_;  // of the streams
  std::deque<ShardStream> streams_;
  bool copies_ = false;
  Mood mood_ = Mood::kWell;
  std::size_t idle_steps_ = 0;

  std::deque<Event> piece_;  // what is left to send of the events that belong together
  std::size_t piece_of_ = 0;
  std::size_t sent_of_piece_ = 0;
  bool piece_has_time_ = false;
  bool copied_row_sent_ = false;
  binlogdata::ShardGtid before_piece_;
};

Step RandomVtgate::RandomCall::step() {
  Step made;
  {
    const std::lock_guard lock(vtgate_.mutex_);
    made = play();
    if (made.kind == Step::Kind::kEnded) {
      vtgate_.trace_.add(fmt::format("  ended with status {} {:?}", made.status.code, made.status.text));
    }
    const bool wants_to_stop = ++vtgate_.steps_ > vtgate_.mischief_.stop_after;
    if (!wants_to_stop && vtgate_.complaint_.empty()) return made;
  }
  vtgate_.stop();
  return made;
}

Step RandomVtgate::RandomCall::play() {
  if (!refusal_.empty()) {
    if (vtgate_.complaint_.empty()) vtgate_.complaint_ = "a request was refused: " + refusal_;
    return {.kind = Step::Kind::kEnded, .status = {.code = 13, .text = refusal_}};
  }
  if (vtgate_.steps_ > kMostSteps) {
    vtgate_.complaint_ = "the run does not come to an end";
    return {.kind = Step::Kind::kOver};
  }
  vtgate_.go_on(20);
  if (mood_ == Mood::kSilent) return {.kind = Step::Kind::kSilent};
  if (mood_ == Mood::kStuck) return {.kind = Step::Kind::kIdle};
  if (vtgate_.draw_failure()) {
    if (auto failed = fail()) return *std::move(failed);
  }
  if (!piece_.empty() || next_piece()) return next_response();
  if (!is_exhausted()) {
    vtgate_.go_on(50);
    return {.kind = Step::Kind::kIdle};
  }
  if (!copies_) return {.kind = Step::Kind::kOver};
  if (++idle_steps_ > kMostIdleSteps) {
    vtgate_.complaint_ = "the copy has ended, and the client waits on";
    return {.kind = Step::Kind::kOver};
  }
  return {.kind = Step::Kind::kExhausted};
}

bool RandomVtgate::RandomCall::is_exhausted() const {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i].is_at(vtgate_.history_.shards[shards_[i]].end())) return false;
  }
  return true;
}

std::optional<Step> RandomVtgate::RandomCall::fail() {
  const std::size_t kind = vtgate_.random_.below(10);
  if (kind < 4 && retry_tablet()) return std::nullopt;
  if (kind < 6 && vtgate_.mischief_.silence) {
    vtgate_.trace_.add("  falls silent");
    mood_ = Mood::kSilent;
    return Step{.kind = Step::Kind::kSilent};
  }
  if (kind < 8 && vtgate_.mischief_.silence && is_inside_transaction()) {
    vtgate_.trace_.add("  sends heartbeats alone");
    mood_ = Mood::kStuck;
    return Step{.kind = Step::Kind::kIdle};
  }
  return Step{.kind = Step::Kind::kEnded, .status = vtgate_.draw_status(vgtid_)};
}

/// VTGate goes on with another tablet. What it has not sent of a transaction then comes again from its BEGIN.
bool RandomVtgate::RandomCall::retry_tablet() {
  const std::size_t i = vtgate_.random_.below(streams_.size());
  if (!piece_.empty() && piece_of_ == i) {
    // A position and the end of its transaction come from the tablet together, copied rows come with both.
    const bool has_position = std::ranges::find(piece_, binlogdata::VGTID, &Event::type) != piece_.end();
    if (!has_position || copied_row_sent_) return false;
    piece_.clear();
    *vgtid_.mutable_shard_gtids(static_cast<int>(i)) = before_piece_;
  }
  streams_[i].restart();
  vtgate_.trace_.add("  another tablet for " + describe(vgtid_.shard_gtids(static_cast<int>(i))));
  return true;
}

/// Transactions of several shards are never mixed.
bool RandomVtgate::RandomCall::next_piece() {
  std::vector<std::size_t> order(streams_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[vtgate_.random_.below(left)]);
  }
  std::ranges::partition(order, [&](std::size_t i) { return streams_[i].is_inside(); });
  for (const std::size_t i : order) {
    before_piece_ = vgtid_.shard_gtids(static_cast<int>(i));
    Events events = streams_[i].next(vtgate_.now_[shards_[i]], vtgate_.random_);
    if (events.empty()) continue;
    const bool completes = events.back().type() == binlogdata::COPY_COMPLETED;
    if (completes && std::ranges::all_of(streams_, &ShardStream::has_completed_copy)) {
      events.emplace_back().set_type(binlogdata::COPY_COMPLETED);
    }
    piece_.assign(std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    piece_of_ = i;
    sent_of_piece_ = 0;
    piece_has_time_ = piece_.front().timestamp() != 0;
    copied_row_sent_ = false;
    return true;
  }
  return false;
}

Step RandomVtgate::RandomCall::next_response() {
  Random& random = vtgate_.random_;
  std::size_t left = random.chance(50)   ? random.between(1, 3)
                     : random.chance(60) ? piece_.size()
                                         : random.between(1, 40);
  vtgate::VStreamResponse response;
  for (; left > 0 && (!piece_.empty() || next_piece()); --left) {
    if (random.chance(4)) *response.add_events() = heartbeat();
    copied_row_sent_ = copied_row_sent_ || (!piece_has_time_ && piece_.front().type() == binlogdata::ROW);
    *response.add_events() = std::move(piece_.front());
    piece_.pop_front();
    ++sent_of_piece_;
  }
  if (vtgate_.trace_.is_on()) {
    vtgate_.trace_.add("  response");
    for (const Event& event : response.events()) vtgate_.trace_.add("    " + describe(event));
  }
  return {.kind = Step::Kind::kResponse, .response = response.SerializeAsString()};
}

RandomVtgate::RandomVtgate(const History& history, std::uint64_t seed, Mischief mischief, Trace& trace,
                           std::function<void()> stop)
    : history_(history), mischief_(mischief), trace_(trace), stop_(std::move(stop)), random_(seed) {
  for (const Shard& shard : history.shards) now_.push_back(random_.between(0, shard.end()));
  make_tables();
}

std::unique_ptr<RandomVtgate::Call> RandomVtgate::open(const vtgate::VStreamRequest& request) {
  const std::lock_guard lock(mutex_);
  for (int times = 0; times < 3; ++times) go_on(50);
  if (trace_.is_on()) {
    std::string line = "request";
    for (const binlogdata::ShardGtid& entry : request.vgtid().shard_gtids()) line += " " + describe(entry);
    for (const std::string& table : request.flags().tables_to_copy()) line += " copy " + table;
    for (const binlogdata::Rule& rule : request.filter().rules()) line += " rule " + rule.match();
    trace_.add(line);
  }
  return std::make_unique<RandomCall>(*this, request);
}

std::vector<Place> RandomVtgate::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

std::vector<std::string> RandomVtgate::tables() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (std::size_t table = 0; table < history_.tables.size(); ++table) {
    if (now_.front() >= history_.shards.front().made[table]) names.push_back(history_.tables[table].name);
  }
  return names;
}

std::string RandomVtgate::complaint() const {
  const std::lock_guard lock(mutex_);
  return complaint_;
}

void RandomVtgate::stop() {
  trace_.add("  the run is told to stop");
  stop_();
}

void RandomVtgate::complain(std::string what) {
  {
    const std::lock_guard lock(mutex_);
    if (complaint_.empty()) complaint_ = std::move(what);
  }
  stop();
}

void RandomVtgate::go_on(unsigned percent) {
  for (std::size_t shard = 0; shard < now_.size(); ++shard) {
    if (now_[shard] < history_.shards[shard].end() && random_.chance(percent)) ++now_[shard];
  }
  make_tables();
}

/// A table is made on all shards at once.
void RandomVtgate::make_tables() {
  for (std::size_t table = 0; table < history_.tables.size(); ++table) {
    bool exists = false;
    for (std::size_t i = 0; i < now_.size(); ++i) exists = exists || now_[i] >= history_.shards[i].made[table];
    for (std::size_t i = 0; exists && i < now_.size(); ++i) now_[i] = std::max(now_[i], history_.shards[i].made[table]);
  }
}

bool RandomVtgate::draw_failure() {
  if (failures_ >= mischief_.most || !random_.chance(mischief_.percent)) return false;
  ++failures_;
  return true;
}

Status RandomVtgate::draw_status(const binlogdata::VGtid& vgtid) {
  const binlogdata::ShardGtid& entry =
      vgtid.shard_gtids(static_cast<int>(random_.below(static_cast<std::size_t>(vgtid.shard_gtids_size()))));
  const std::string place = entry.keyspace() + "/" + entry.shard();
  const std::array<Status, 9> statuses = {{
      {.code = 0, .text = ""},
      {.code = 1,
       .text = "error starting stream: failed to find a REPLICA tablet for VStream in " + place +
               " within the zone1 cell(s): context has expired"},
      {.code = 5,
       .text = "failed to get tablet connection to zone1-0000000101: target: " + place +
               ": tablet: cell:\"zone1\" uid:101 is either down or nonexistent"},
      {.code = 8, .text = "too many streams"},
      {.code = 10, .text = "the tablet was shut down"},
      {.code = 14, .text = "error reading from server: EOF"},
      {.code = 14, .text = "vstream exceeded maximum age of 10s (jitter: 900ms)"},
      {.code = 17, .text = "operation not allowed in state NOT_SERVING"},
      {.code = 2,
       .text = "persistent error in vstream for " + place + " on tablet cell:\"zone1\" uid:101; giving up: " +
               "stream (at source tablet) error @ (including the GTID we failed to process) " + entry.gtid() +
               ": unexpected server EOF while parsing events"},
  }};
  const Status& status = random_.pick(statuses);
  // Three such errors at one position are taken for a transaction that cannot be streamed.
  if (status.code == 2 && ++tablet_errors_[entry.gtid()] > 2) return statuses[5];
  return status;
}

}  // namespace vstream::property
