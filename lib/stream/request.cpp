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

void add_table_rule(binlogdata::Filter& filter, const std::string& table) {
  binlogdata::Rule& rule = *filter.add_rules();
  rule.set_match(table);
  // An exact rule with an empty filter copies well, and dies at the table's first change.
  rule.set_filter("select * from " + quoted_name(table));
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
  for (const std::string& table : plan.finished_tables()) add_table_rule(*request.mutable_filter(), table);
  add_table_rule(*request.mutable_filter(), plan.table());
  return request;
}

vtgate::VStreamRequest make_stream_request(const TailOptions& options, const Selection& selection,
                                           const ShardPositions::Map& positions) {
  vtgate::VStreamRequest request = make_request(options, selection, positions);
  if (selection.takes_all_tables()) {
    request.mutable_filter()->add_rules()->set_match("/.*/");
  } else {
    for (const std::string& table : selection.tables()) add_table_rule(*request.mutable_filter(), table);
  }
  return request;
}

}  // namespace vstream
