#pragma once

#include <string_view>

#include "encode/table.h"
#include "vstream/error.h"
#include "vtgate/response.h"

namespace vstream {

/// Hears of events before their transaction is finished: what the session must know at once.
class EventObserver {
 public:
  EventObserver() = default;
  EventObserver(const EventObserver&) = delete;
  EventObserver& operator=(const EventObserver&) = delete;
  virtual ~EventObserver() = default;

  /// An event has named this shard. Called once for each response in which one does.
  virtual void shard_heard(std::string_view shard) = 0;
  /// The copy of a table begins, or begins again, on this shard (a FIELD event without a time). `table` is bare.
  /// An error ends the stream before anything of the copy is taken.
  virtual Result<void> copy_begins(std::string_view shard, std::string_view table, const FieldEventView& fields) = 0;
  /// The columns of a table that is wanted came. What is still open about them can be filled in. An error ends the
  /// stream before anything of the table is taken.
  virtual Result<void> columns_came(Table& table) = 0;
  /// A DDL ran.
  virtual void schema_changed() = 0;
  /// A row of the tablet's own heartbeat table came (the flag stream_keyspace_heartbeats): this shard is alive.
  virtual void keyspace_heartbeat(std::string_view shard) = 0;
};

}  // namespace vstream
