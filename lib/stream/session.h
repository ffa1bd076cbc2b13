#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "stream/assembler.h"
#include "stream/copy_plan.h"
#include "stream/output.h"
#include "stream/request.h"
#include "stream/selection.h"
#include "vstream/tail.h"
#include "vtgate/stream_call.h"

namespace vstream {

/// One run of `tail`: the copy's requests one after the other, then the request that streams on, until a stop
/// condition is met. Keeps the position of every shard. Runs once, on one thread.
class Session {
 public:
  Session(const TailOptions& options, Selection selection, std::shared_ptr<grpc::Channel> channel, Sink& sink,
          std::stop_token stop, const LogHook& log);

  /// Errors: see tail().
  Result<TailEnd> run();

 private:
  // How one request came to its end.
  enum class CallEnd : std::uint8_t { kStop, kTableFinished };

  Result<CallEnd> run_call(const vtgate::VStreamRequest& request);
  Result<CallEnd> read_call(StreamCall& call, Assembler& assembler);
  Result<bool> take(const Unit& unit);
  Result<bool> take_raw(std::string_view response, Assembler& assembler);
  Result<void> note_position(const Unit& unit);
  Result<void> shard_copied(std::string_view shard, bool was_last);
  void note_started(std::string_view shard);
  TimePoint deadline() const;
  Result<TailEnd> end(Result<CallEnd> last);
  Vgtid position() const;
  bool copy_unfinished() const;

  const TailOptions& options_;
  Selection selection_;
  std::shared_ptr<grpc::Channel> channel_;
  std::stop_token stop_;
  const LogHook& log_;
  Output output_;
  Buffer lines_;  // of our own making
  ShardPositions positions_;
  std::optional<CopyPlan> copy_;
  std::set<std::string, std::less<>> not_started_;
  std::optional<TimePoint> ends_at_;
  EndReason reason_ = EndReason::kSignal;
};

}  // namespace vstream
