#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "encode/event_writer.h"
#include "encode/json_writer.h"
#include "stream/assembler.h"
#include "stream/copy_plan.h"
#include "stream/failure_judge.h"
#include "stream/idle_clock.h"
#include "stream/output.h"
#include "stream/position_keeper.h"
#include "stream/row_budget.h"
#include "stream/selection.h"
#include "stream/session_state.h"
#include "stream/shard_positions.h"
#include "stream/skip.h"
#include "stream/table_charsets.h"
#include "stream/timed_sink.h"
#include "stream/transaction_lines.h"
#include "stream/until.h"
#include "stream/watched_call.h"
#include "vstream/tail.h"
#include "vtgate/stream_call.h"

namespace vstream {

/// What a session works with; all of it outlives the session.
struct Surroundings {
  StreamSource& streams;
  const Clock& clock;
  std::optional<TimePoint> ends_at = {};  ///< none: `duration` runs from the session's making
  RandomSource random;
  /// The shards of these positions that a serving tablet can stream from there. Errors: kPositionLost, or the question
  /// could not be asked.
  std::function<Result<std::set<std::string>>(const Vgtid&)> check_positions;
  /// Whether the shard's primary logs whole rows, as far as is known. None: every shard does.
  std::function<bool(const std::string& shard)> logs_whole_rows = {};
  /// With a keeper: where a tablet of the streamed type is now on each of the shards.
  std::function<Result<Vgtid>(const std::vector<std::string>& shards)> current_positions = {};
  /// The columns of a table on a shard, to go on with the copy of another process.
  std::function<Result<std::vector<query::Field>>(const std::string& shard, const std::string& table)> table_fields =
      {};
  /// The keyspace's tables now.
  std::function<Result<std::vector<std::string>>()> list_tables;
  CollationQuestion ask_collations = {};  ///< none: what VTGate does not tell stays unknown
  AskShard ask_shard = {};
  Sink& sink;
  const LogHook& log;
  const TailHooks& hooks;
  EventWriter* writer = nullptr;     ///< none: native lines
  std::optional<Until> until = {};   ///< none: no target
  IdleClock* idle = nullptr;         ///< none: it may be idle for ever
  PositionKeeper* keeper = nullptr;  ///< then every unit is written at once, and can be read by itself
  /// Of the run, when other keyspaces share them. None: `count` of the options, and one copy.
  RowBudget* rows = nullptr;
  std::atomic<std::size_t>* unfinished_copies = nullptr;
};

/// One keyspace of a run of `tail`: the copy's requests one after the other, then the request that streams on, until a
/// stop condition is met; what breaks is taken up again. Keeps the position of every shard. Runs once, on one thread.
class Session final : private EventObserver {
 public:
  Session(const TailOptions& options, Selection selection, Surroundings surroundings, std::stop_token stop);

  /// Everything that was finished has been given to the sink when it returns, also with an error. Errors: see tail().
  Result<TailEnd> run();

 private:
  // How one request came to its end.
  enum class RequestEnd : std::uint8_t { kStop, kTableFinished };

  Result<RequestEnd> run_request();
  Result<void> make_positions_concrete();
  Result<void> prepare_copy();
  Result<void> learn_keys();
  Result<void> complete_copy();
  Result<std::set<std::string>> ask_whether_servable();
  void learn_row_images();
  bool may_miss_columns(std::string_view shard, std::string_view table) const;
  Result<RequestEnd> run_call(const vtgate::VStreamRequest& request, const std::set<std::string>& servable);
  Result<RequestEnd> read_call(Assembler& assembler);
  Result<bool> take_response(Assembler& assembler);
  Result<bool> take(const Unit& unit);
  Result<bool> take_wanted(const Unit& unit);
  Result<void> begin_goals();
  Result<void> begin_target();
  Result<void> check_target();
  Result<void> step_over_skipped();
  Error with_transaction(Error error) const;
  Result<void> check_shard(const Unit& unit) const;
  Result<void> note_position(const Unit& unit);
  Result<void> settle();
  Result<void> switch_shards(const Journal& journal);
  void note_started();
  void note_progress();
  void note_silent_copy();
  Result<bool> wait_to_try_again(Error error);
  Result<TailEnd> end(Result<RequestEnd> last);

  bool copying() const { return copy_.has_value(); }
  bool at_target() const { return world_.until && !copying() && world_.until->done(); }
  TimePoint next_deadline() const;
  bool out_of_time();
  std::string place(const Error& error) const;
  std::vector<std::string> followed_shards() const;

  void shard_heard(std::string_view shard) override;
  Result<void> copy_begins(std::string_view shard, std::string_view table, const FieldEventView& fields) override;
  Result<void> columns_came(Table& table) override;
  void schema_changed() override { charsets_.forget(); }
  void keyspace_heartbeat(std::string_view shard) override;

  const TailOptions& options_;
  Selection selection_;
  Surroundings world_;
  std::stop_token stop_;
  TimedSink sink_;
  JsonWriter own_writer_;
  EventWriter& writer_;
  TransactionMemory memory_;
  RowBudget own_rows_;
  Output output_;
  Buffer lines_;  // of our own making
  SessionStateMachine state_;
  FailureJudge failures_;
  ShardPositions positions_;
  ReshardTracker reshards_;
  TableCharsets charsets_;
  std::set<std::string, std::less<>> left_shards_;                // replaced in a reshard
  std::map<std::string, bool, std::less<>> whole_rows_;           // of the shards whose row image was asked for
  std::set<std::pair<std::string, std::string>> partial_tables_;  // shards and tables whose rows may miss columns
  std::optional<CopyPlan> copy_;                                  // while a copy is not complete
  std::optional<Error> said_to_be_lost_;                          // by VTGate, to be asked for
  std::optional<WatchedCall> call_;
  bool began_ = false;  // the keeper knows where
  bool started_once_ = false;
  bool silence_noted_ = false;
  std::optional<TimePoint> ends_at_;
  std::optional<IdleClock::Stream> idle_;
  bool goals_begun_ = false;
  TimePoint check_target_at_ = TimePoint::max();
  EndReason reason_ = EndReason::kSignal;
};

}  // namespace vstream
