#include "stream/request.h"

#include "vtgate/topology.h"

namespace vstream {
namespace {

topodata::TabletType to_proto(TabletType type) {
  switch (type) {
    case TabletType::kPrimary: return topodata::PRIMARY;
    case TabletType::kReplica: return topodata::REPLICA;
    case TabletType::kRdonly: return topodata::RDONLY;
  }
  return topodata::REPLICA;
}

vtgate::VStreamRequest make_request(const TailOptions& options, const Selection& selection,
                                    const ShardPositions::Map& positions) {
  vtgate::VStreamRequest request;
  request.set_tablet_type(to_proto(options.tablet_type));
  for (const auto& [shard, gtid] : positions) {
    binlogdata::ShardGtid& entry = *request.mutable_vgtid()->add_shard_gtids();
    entry.set_keyspace(selection.keyspace());
    entry.set_shard(shard);
    entry.set_gtid(gtid);
  }
  vtgate::VStreamFlags& flags = *request.mutable_flags();
  flags.set_heartbeat_interval(static_cast<std::uint32_t>(options.heartbeat_interval.count()));
  flags.set_include_reshard_journal_events(true);
  flags.set_stream_keyspace_heartbeats(options.stream_keyspace_heartbeats);
  flags.set_cells(options.flags.cells);
  flags.set_cell_preference(options.flags.cell_preference);
  flags.set_tablet_order(options.flags.tablet_order);
  flags.set_minimize_skew(options.flags.minimize_skew);
  flags.set_transaction_chunk_size(options.flags.transaction_chunk_size);
  flags.set_max_stream_age_seconds(options.flags.max_stream_age_seconds);
  return request;
}

}  // namespace

vtgate::VStreamRequest make_copy_request(const TailOptions& options, const Selection& selection,
                                         const ShardPositions::Map& positions, const CopyPlan& plan) {
  vtgate::VStreamRequest request = make_request(options, selection, positions);
  for (binlogdata::ShardGtid& shard : *request.mutable_vgtid()->mutable_shard_gtids()) {
    if (auto entry = plan.entry(shard.shard())) *shard.add_table_p_ks() = *std::move(entry);
  }
  request.mutable_flags()->add_tables_to_copy(plan.table());
  const TableChoice& choice = selection.choice();
  for (const std::string& table : plan.finished_tables()) choice.add_rule(table, *request.mutable_filter());
  choice.add_rule(plan.table(), *request.mutable_filter());
  return request;
}

vtgate::VStreamRequest make_stream_request(const TailOptions& options, const Selection& selection,
                                           const ShardPositions::Map& positions) {
  vtgate::VStreamRequest request = make_request(options, selection, positions);
  selection.choice().add_rules(selection.tables(), *request.mutable_filter());
  return request;
}

std::string filter_to_string(const binlogdata::Filter& filter) {
  std::string text;
  for (const binlogdata::Rule& rule : filter.rules()) {
    text += text.empty() ? "" : "; ";
    // A select names its table.
    text += rule.filter().empty() ? rule.match() : rule.filter();
  }
  return text;
}

}  // namespace vstream
