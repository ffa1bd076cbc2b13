#include "simulator/start_rules.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "simulator/name_match.h"
#include "simulator/stream_errors.h"

namespace vstream::simulator {
namespace {

// Nobody wants to wait for 90 s in a test.
constexpr std::chrono::milliseconds kTabletHunt{500};
constexpr std::string_view kFlavor = "MySQL56";

std::unexpected<grpc::Status> refused(std::string_view cause,
                                      grpc::StatusCode code = grpc::StatusCode::INVALID_ARGUMENT) {
  return std::unexpected(grpc::Status(code, fmt::format("failed to resolve vstream parameters: {}", cause)));
}

void add_shards(binlogdata::VGtid& out, const Keyspace& keyspace, const std::string& gtid) {
  for (const std::string& shard : keyspace.shards) {
    binlogdata::ShardGtid& entry = *out.add_shard_gtids();
    entry.set_keyspace(keyspace.name);
    entry.set_shard(shard);
    entry.set_gtid(gtid);
  }
}

// What VTGate checks at once when it starts the shards: that they exist.
grpc::Status check_shards(const binlogdata::VGtid& shards, const Topology& topology) {
  for (const binlogdata::ShardGtid& start : shards.shard_gtids()) {
    const Keyspace* keyspace = topology.find(start.keyspace());
    if (keyspace == nullptr) return unknown_keyspace(start);
    if (!keyspace->has_shard(start.shard())) return unknown_shard(start);
  }
  return grpc::Status::OK;
}

// The error of the first shard that has no tablet of the type.
grpc::Status check_tablets(const binlogdata::VGtid& shards, topodata::TabletType type, const Topology& topology) {
  for (const binlogdata::ShardGtid& start : shards.shard_gtids()) {
    if (find_tablet(topology, start.keyspace(), start.shard(), type).alias.empty()) return no_tablet(start, type);
  }
  return grpc::Status::OK;
}

}  // namespace

std::expected<binlogdata::VGtid, grpc::Status> resolve_positions(const binlogdata::VGtid& asked,
                                                                 const Topology& topology) {
  if (asked.shard_gtids().empty()) {
    return refused("vgtid must have at least one value with a starting position in ShardGtids");
  }
  binlogdata::VGtid out;
  bool alone = asked.shard_gtids_size() == 1;
  for (const binlogdata::ShardGtid& entry : asked.shard_gtids()) {
    if (alone && entry.keyspace().empty()) {
      if (entry.gtid() != "current") return refused("for an empty keyspace, the Gtid value must be 'current'");
      for (const Keyspace& keyspace : topology.keyspaces) add_shards(out, keyspace, entry.gtid());
      continue;
    }
    if (!entry.shard().empty()) {
      *out.add_shard_gtids() = entry;
      continue;
    }
    if (!entry.gtid().empty() && entry.gtid() != "current") {
      return refused(
          fmt::format("if shards are unspecified, the Gtid value must be 'current' or empty; got: {}", entry.gtid()));
    }
    if (alone && entry.keyspace().starts_with('/')) {
      auto match = NameMatch::regex(entry.keyspace());
      if (!match) return refused(match.error());
      for (const Keyspace& keyspace : topology.keyspaces) {
        if (match->matches(keyspace.name)) add_shards(out, keyspace, entry.gtid());
      }
      continue;
    }
    const Keyspace* keyspace = topology.find(entry.keyspace());
    if (keyspace == nullptr) {
      return refused(fmt::format("keyspace {0} fetch error: node doesn't exist: /vitess/{1}/keyspaces/{0}/SrvKeyspace",
                                 entry.keyspace(), kCell),
                     grpc::StatusCode::UNKNOWN);
    }
    add_shards(out, *keyspace, entry.gtid());
  }
  return out;
}

std::expected<binlogdata::VGtid, grpc::Status> begin_stream(const vtgate::VStreamRequest& request,
                                                            const Topology& topology) {
  auto shards = resolve_positions(request.vgtid(), topology);
  if (!shards) return shards;
  if (grpc::Status bad = check_shards(*shards, topology); !bad.ok()) return std::unexpected(bad);
  if (grpc::Status bad = check_tablets(*shards, request.tablet_type(), topology); !bad.ok())
    return std::unexpected(bad);
  return shards;
}

std::expected<GtidSet, grpc::Status> read_start(const binlogdata::ShardGtid& start, const Tablet& tablet,
                                                const GtidSet& executed, const GtidSet& purged) {
  const std::string& text = start.gtid();
  if (text.empty() || text == "current") return GtidSet();
  std::size_t slash = text.find('/');
  std::string flavor = slash == text.npos ? "" : text.substr(0, slash);
  if (flavor != kFlavor) {
    return std::unexpected(
        bad_position(start, tablet, fmt::format("parse error: unknown GTIDSet flavor \"{}\"", flavor)));
  }
  std::string set_text = text.substr(slash + 1);
  Result<GtidSet> set = GtidSet::parse(set_text);
  if (!set) {
    std::string cause = set_text.find(':') == set_text.npos ? "expected uuid:interval" : set.error().message;
    return std::unexpected(
        bad_position(start, tablet, fmt::format("invalid MySQL 5.6 GTID set (\"{}\"): {}", set_text, cause)));
  }
  if (!executed.contains(*set) || !set->contains(purged)) return std::unexpected(no_tablet(start, tablet.type));
  return std::move(*set);
}

grpc::Status after_hunt(grpc::Status status, Outlet& outlet) {
  if (status.error_code() != grpc::StatusCode::CANCELLED) return status;
  auto until = Doorbell::Clock::now() + kTabletHunt;
  while (Doorbell::Clock::now() < until && outlet.wait(outlet.doorbell().rings(), until)) {
  }
  return status;
}

}  // namespace vstream::simulator
