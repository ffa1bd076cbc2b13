#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "position/gtid_set.h"
#include "simulator/name_match.h"
#include "simulator/shard_log.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// Builds the events of one shard's stream, field by field as VTGate 24.0.4 sends them (tests/transcripts/).
class EventMaker {
 public:
  /// `bare_names`: the flag exclude_keyspace_from_table_name.
  EventMaker(std::string keyspace, std::string shard, bool bare_names);

  /// An event with this shard's names and nothing else: BEGIN and COMMIT of a copy, COPY_COMPLETED, OTHER.
  binlogdata::VEvent& add(vtgate::VStreamResponse& response, binlogdata::VEventType type) const;
  void add_vgtid(vtgate::VStreamResponse& response, const binlogdata::VGtid& vgtid) const;
  void add_copy_field(vtgate::VStreamResponse& response, const TableSchema& table) const;
  /// The FIELD event of a binlog transaction; its rows need no other.
  void add_field(vtgate::VStreamResponse& response, const TableSchema& table, const Transaction& transaction,
                 const Uuid& server);
  void add_copy_row(vtgate::VStreamResponse& response, const TableSchema& table, const Row& row) const;

  /// BEGIN, (FIELD, ROW…)…, VGTID, COMMIT of a binlog transaction, with the images for which `wanted(table)` holds.
  template <typename Wanted>
  vtgate::VStreamResponse transaction(const Transaction& transaction, const Uuid& server,
                                      const binlogdata::VGtid& vgtid, const Wanted& wanted) {
    vtgate::VStreamResponse response;
    stamp(add(response, binlogdata::BEGIN), transaction, server);
    binlogdata::RowEvent* rows = nullptr;
    for (const Transaction::Image& image : transaction.images) {
      if (wanted(*image.table)) rows = add_image(response, image, transaction, server, rows);
    }
    add_vgtid(response, vgtid);
    stamp(add(response, binlogdata::COMMIT), transaction, server);
    return response;
  }

  /// The next transaction gets FIELD events for its tables again, as after every switch between copy and binlog.
  void forget_fields() { fields_sent_.clear(); }

  /// Gives the event the transaction's time and GTID.
  static void stamp(binlogdata::VEvent& event, const Transaction& transaction, const Uuid& server);

  /// Adds the image to `open` if that is a ROW event of the same statement, else to a new one. Returns the event used.
  binlogdata::RowEvent* add_image(vtgate::VStreamResponse& response, const Transaction::Image& image,
                                  const Transaction& transaction, const Uuid& server, binlogdata::RowEvent* open);

 private:
  binlogdata::FieldEvent& set_fields(binlogdata::VEvent& event, const TableSchema& table) const;
  std::string name_of(const TableSchema& table) const;

  const std::string keyspace_;
  const std::string shard_;
  const bool bare_names_;
  std::set<const TableSchema*> fields_sent_;
};

}  // namespace vstream::simulator
