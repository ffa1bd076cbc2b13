#include "simulator/stream_errors.h"

#include <fmt/format.h>

#include <string>

namespace vstream::simulator {
namespace {

// VTGate cuts errors here (go/vt/vterrors/grpc.go), so that they fit into HTTP/2 headers.
constexpr std::size_t kMostErrorText = 8 * 1024 - 512;

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string go_text(const binlogdata::ShardGtid& start) {
  std::string text = fmt::format("keyspace:{} shard:{}", go_quoted(start.keyspace()), go_quoted(start.shard()));
  if (!start.gtid().empty()) text += fmt::format(" gtid:{}", go_quoted(start.gtid()));
  for (const binlogdata::TableLastPK& table : start.table_p_ks()) {
    text += fmt::format(" table_p_ks:{{table_name:{}}}", go_quoted(table.table_name()));
  }
  return text;
}

std::string on_tablet(const Tablet& tablet) {
  return fmt::format("error in vstream for {}/{} on tablet {}", tablet.keyspace, tablet.shard, tablet.alias);
}

}  // namespace

grpc::Status start_error(const binlogdata::ShardGtid& start, grpc::StatusCode code, std::string_view cause) {
  std::string text = fmt::format("error starting stream from shard GTID {}: {}", go_text(start), cause);
  if (text.size() > kMostErrorText) {
    text.resize(kMostErrorText);
    text += "[...] [remainder of the error is truncated]";
  }
  return {code, text};
}

grpc::Status unknown_keyspace(const binlogdata::ShardGtid& start) {
  return start_error(start, grpc::StatusCode::UNKNOWN,
                     fmt::format("failed to determine if keyspace {0} has been resharded: "
                                 "FindAllShardsInKeyspace({0}): List: node doesn't exist: "
                                 "/vitess/global/keyspaces/{0}/shards",
                                 start.keyspace()));
}

grpc::Status unknown_shard(const binlogdata::ShardGtid& start) {
  return start_error(start, grpc::StatusCode::FAILED_PRECONDITION,
                     fmt::format("failed to determine if keyspace {0} has been resharded: "
                                 "shard provided in VGTID, {1}, not found in the {0} keyspace",
                                 start.keyspace(), start.shard()));
}

grpc::Status no_tablet(const binlogdata::ShardGtid& start, topodata::TabletType type) {
  return start_error(
      start, grpc::StatusCode::CANCELLED,
      fmt::format("failed to find a {} tablet for VStream in {}/{} within the {} cell(s): context has expired",
                  type_name(type), start.keyspace(), start.shard(), kCell));
}

grpc::Status bad_position(const binlogdata::ShardGtid& start, const Tablet& tablet, std::string_view cause) {
  return start_error(start, grpc::StatusCode::INTERNAL,
                     fmt::format("{}: target: {}: vttablet: rpc error: code = Internal desc = could not decode "
                                 "position: {}",
                                 on_tablet(tablet), tablet.target(), cause));
}

grpc::Status persistent_error(const binlogdata::ShardGtid& start, const Tablet& tablet, std::string_view cause) {
  return start_error(start, grpc::StatusCode::UNKNOWN,
                     fmt::format("persistent {}; giving up: target: {}: vttablet: rpc error: code = Unknown desc = {}",
                                 on_tablet(tablet), tablet.target(), cause));
}

}  // namespace vstream::simulator
