#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

#include "position/gtid_set.h"
#include "simulator/copy_plan.h"
#include "simulator/event_maker.h"
#include "simulator/outlet.h"
#include "simulator/shard_log.h"
#include "simulator/topology.h"

namespace vstream::simulator {

/// What the shards of one VStream call share: the VGTID that goes out, and how many shards have finished their copy.
struct StreamState {
  binlogdata::VGtid vgtid;
  int copies_completed = 0;
};

/// Plays one shard of a VStream call: resolves the start, copies, then follows the binlog. One thread for all shards of
/// a call. The log and the state outlive it.
class ShardReader {
 public:
  /// `index`: the shard's entry in `state.vgtid`. `tablet` is the one that serves it.
  /// Errors: how the call ends because of this shard, after no delay at all.
  static std::expected<ShardReader, grpc::Status> make(const vtgate::VStreamRequest& request, StreamState& state,
                                                       int index, const ShardLog& log, Tablet tablet,
                                                       const std::vector<const TableSchema*>& tables);

  /// Sends what comes next: whole transactions. True if there was something to send. If the client has gone it may
  /// stop anywhere. Errors: how the call ends.
  std::expected<bool, grpc::Status> advance(Outlet& outlet);

 private:
  ShardReader(StreamState& state, int index, const ShardLog& log, Tablet tablet, TableFilter filter, CopyPlan plan,
              bool bare_names);

  binlogdata::ShardGtid& entry() { return *state_->vgtid.mutable_shard_gtids(index_); }
  std::expected<void, grpc::Status> read_position();
  void show_position();  ///< in the VGTID
  void start_at_current(Outlet& outlet);
  std::expected<bool, grpc::Status> send_binlog(Outlet& outlet, std::int64_t last);
  std::expected<void, grpc::Status> open_table(Outlet& outlet);
  void send_packet(Outlet& outlet);
  void close_table(Outlet& outlet);
  void complete_copy(Outlet& outlet);

  StreamState* state_;
  int index_;
  const ShardLog* log_;
  Tablet tablet_;
  binlogdata::ShardGtid start_;  ///< as asked, for errors
  TableFilter filter_;
  CopyPlan plan_;
  EventMaker events_;
  bool copying_;
  GtidSet position_;
  std::int64_t next_ = 1;                   ///< the next transaction to look at
  std::optional<ShardLog::Snapshot> open_;  ///< of the table that is being copied: the rows still to send
};

}  // namespace vstream::simulator
