#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "stream/keyspace_run.h"

namespace vstream {

/// Several keyspaces in one run, each on a thread of its own: a filter would hold for all keyspaces of one VStream
/// call, and a reshard, a copy or a failure of one would hold up the others. Their transactions come one after the
/// other.
///
/// The run ends when the last keyspace has: one that has met its goal leaves the others alone; one that ends for
/// another reason (rows enough, an error, a signal, a reader that has gone) stops them.
class KeyspaceGroup {
 public:
  /// Runs one keyspace on the thread it is called from.
  using Part = std::function<Result<TailEnd>(Sink&, const TailHooks&)>;

  /// `stop` ends all keyspaces. Both outlive it.
  KeyspaceGroup(Sink& sink, const TailHooks& hooks, std::stop_source& stop) : sink_(sink), hooks_(hooks), stop_(stop) {}

  /// Returns the error of the part that failed first, or what all of them have come to. Throws what a part throws.
  Result<TailEnd> run(const std::vector<Part>& parts);

 private:
  void run_part(std::size_t number, const Part& part);
  void part_started(const Vgtid& position);
  void part_ending();

  Sink& sink_;
  const TailHooks& hooks_;
  std::stop_source& stop_;
  std::mutex output_mutex_;  // of the sink
  std::mutex mutex_;         // of everything below
  std::vector<std::optional<Result<TailEnd>>> ends_;
  std::optional<std::size_t> first_to_fail_;
  std::exception_ptr thrown_;
  Vgtid started_at_;
  std::size_t starting_ = 0;
  std::size_t running_ = 0;
};

}  // namespace vstream
