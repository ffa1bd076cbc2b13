#pragma once

#include <vector>

#include "history.h"
#include "vtgate.pb.h"

/// Events as VTGate sends them.
namespace vstream::property {

using Event = binlogdata::VEvent;
using Events = std::vector<Event>;

/// Makes the events of one shard.
class EventMaker {
 public:
  EventMaker(const History& history, std::size_t shard) : history_(history), shard_(shard) {}

  /// `transaction`: whose time and GTID the event has; none for those of a copy.
  Event event(binlogdata::VEventType type, const Transaction* transaction) const;
  Event field(std::size_t table, std::size_t columns, const Transaction* transaction) const;
  /// A ROW without changes: add_change() adds them.
  Event row(std::size_t table, const Transaction* transaction) const;
  Event vgtid(const binlogdata::VGtid& vgtid) const;

  static void add_change(Event& row, const Change& change);

 private:
  const History& history_;
  std::size_t shard_;
};

query::Field to_field(const Column& column);
query::Row to_row(const Row& row);

Event heartbeat();

/// One event in few words, for people.
std::string describe(const Event& event);
std::string describe(const binlogdata::ShardGtid& entry);

}  // namespace vstream::property
