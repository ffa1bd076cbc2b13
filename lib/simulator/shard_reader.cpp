#include "simulator/shard_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "simulator/start_rules.h"
#include "simulator/stream_errors.h"

namespace vstream::simulator {
namespace {

// A real tablet cuts packets at about 250 kB; few rows a packet let a small shop show cursors too.
constexpr std::size_t kPacketRows = 10;
constexpr std::size_t kTransactionsAtOnce = 64;
constexpr std::string_view kFlavor = "MySQL56";

// The cursor's first value, the only one our keys have. None: from the beginning.
std::optional<std::int64_t> key_in(const binlogdata::TableLastPK* cursor) {
  if (cursor == nullptr || cursor->lastpk().rows().empty()) return std::nullopt;
  const query::Row& row = cursor->lastpk().rows(0);
  if (row.lengths().empty() || row.lengths(0) < 0) return std::nullopt;
  std::string_view text = std::string_view(row.values()).substr(0, static_cast<std::size_t>(row.lengths(0)));
  std::int64_t key = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), key);
  if (error != std::errc()) return std::nullopt;
  return key;
}

bool holds(const GtidSet& set, const Uuid& server, std::int64_t number) {
  GtidSet one;
  one.add(server, number);
  return set.contains(one);
}

}  // namespace

ShardReader::ShardReader(StreamState& state, int index, const ShardLog& log, Tablet tablet, TableFilter filter,
                         CopyPlan plan, bool bare_names)
    : state_(&state),
      index_(index),
      log_(&log),
      tablet_(std::move(tablet)),
      start_(state.vgtid.shard_gtids(index)),
      filter_(std::move(filter)),
      plan_(std::move(plan)),
      events_(tablet_.keyspace, tablet_.shard, bare_names),
      copying_(!plan_.finished()) {}

std::expected<ShardReader, grpc::Status> ShardReader::make(const vtgate::VStreamRequest& request, StreamState& state,
                                                           int index, const ShardLog& log, Tablet tablet,
                                                           const std::vector<const TableSchema*>& tables) {
  const binlogdata::ShardGtid& start = state.vgtid.shard_gtids(index);
  auto filter = TableFilter::make(request.has_filter() ? &request.filter() : nullptr);
  if (!filter) return std::unexpected(persistent_error(start, tablet, filter.error()));
  auto plan = CopyPlan::make(start, *filter, request.flags(), tables);
  if (!plan) return std::unexpected(persistent_error(start, tablet, plan.error()));
  ShardReader reader(state, index, log, std::move(tablet), std::move(*filter), std::move(*plan),
                     request.flags().exclude_keyspace_from_table_name());
  if (auto read = reader.read_position(); !read) return std::unexpected(read.error());
  return reader;
}

std::expected<void, grpc::Status> ShardReader::read_position() {
  auto set = read_start(start_, tablet_, log_->executed(), log_->purged());
  if (!set) return std::unexpected(set.error());
  position_ = std::move(*set);
  if (!position_.empty() && position_.servers().front().intervals.front().first == 1) {
    next_ = position_.servers().front().intervals.front().last + 1;
  }
  return {};
}

std::expected<bool, grpc::Status> ShardReader::advance(Outlet& outlet) {
  if (!copying_) {
    if (entry().gtid() == "current") {
      start_at_current(outlet);
      return true;
    }
    return send_binlog(outlet, std::numeric_limits<std::int64_t>::max());
  }
  if (open_) {
    if (open_->rows.empty()) {
      close_table(outlet);
    } else {
      vtgate::VStreamResponse begin;
      events_.add(begin, binlogdata::BEGIN);
      outlet.send(begin);
      send_packet(outlet);
    }
  } else if (auto opened = open_table(outlet); !opened) {
    return std::unexpected(opened.error());
  }
  return true;
}

void ShardReader::show_position() { entry().set_gtid(fmt::format("{}/{}", kFlavor, position_.to_string())); }

void ShardReader::start_at_current(Outlet& outlet) {
  std::int64_t last = log_->last();
  position_ = log_->numbers(last);
  next_ = last + 1;
  show_position();
  vtgate::VStreamResponse response;
  events_.add_vgtid(response, state_->vgtid);
  events_.add(response, binlogdata::OTHER);
  outlet.send(response);
}

// Sends the next transactions up to and including `last`. False if there are none.
std::expected<bool, grpc::Status> ShardReader::send_binlog(Outlet& outlet, std::int64_t last) {
  auto transactions = log_->read(next_, kTransactionsAtOnce);
  if (!transactions) return std::unexpected(no_tablet(start_, tablet_.type));
  bool sent = false;
  for (const TransactionPtr& transaction : *transactions) {
    if (transaction->number > last) break;
    next_ = transaction->number + 1;
    if (holds(position_, log_->server(), transaction->number)) continue;
    position_.add(log_->server(), transaction->number);
    show_position();
    auto wanted = [this](const TableSchema& table) {
      return filter_.matches(table.name) && !plan_.holds_back(table, entry());
    };
    sent = true;
    if (!outlet.send(events_.transaction(*transaction, log_->server(), state_->vgtid, wanted))) break;
  }
  return sent;
}

// Catches up with the moment of the snapshot, then sends the head of the table's copy and its first packet: no other
// shard gets in between, as VTGate keeps transactions whole.
std::expected<void, grpc::Status> ShardReader::open_table(Outlet& outlet) {
  const TableSchema& table = plan_.table();
  open_ = log_->snapshot(table, key_in(find_cursor(entry(), table.name)));
  events_.forget_fields();
  bool moved = entry().gtid().empty() || entry().gtid() == "current";
  if (moved) {
    position_ = log_->numbers(open_->last);
    next_ = open_->last + 1;
    show_position();
  }
  while (next_ <= open_->last && outlet.open()) {
    auto sent = send_binlog(outlet, open_->last);
    if (!sent) return std::unexpected(sent.error());
    moved = moved || *sent;
  }
  vtgate::VStreamResponse head;
  events_.add(head, binlogdata::BEGIN);
  events_.add_copy_field(head, table);
  outlet.send(head);
  if (moved) {  // a response of its own, and only then
    vtgate::VStreamResponse snapshot;
    events_.add_vgtid(snapshot, state_->vgtid);
    outlet.send(snapshot);
  }
  if (open_->rows.empty()) {
    close_table(outlet);
  } else {
    send_packet(outlet);
  }
  return {};
}

void ShardReader::send_packet(Outlet& outlet) {
  const TableSchema& table = plan_.table();
  vtgate::VStreamResponse packet;
  std::string last;
  for (std::size_t i = 0; i < kPacketRows && !open_->rows.empty(); ++i) {
    auto row = open_->rows.begin();
    events_.add_copy_row(packet, table, row->second);
    last = std::to_string(row->first);
    open_->rows.erase(row);
  }
  set_cursor(entry(), table.name, {table.key_field()}, to_wire({last}));
  events_.add_vgtid(packet, state_->vgtid);
  events_.add(packet, binlogdata::COMMIT);
  outlet.send(packet);
}

void ShardReader::close_table(Outlet& outlet) {
  remove_cursor(entry(), plan_.table().name);
  open_.reset();
  plan_.next();
  vtgate::VStreamResponse response;
  events_.add(response, binlogdata::BEGIN);
  events_.add_vgtid(response, state_->vgtid);
  events_.add(response, binlogdata::COMMIT);
  outlet.send(response);
  if (plan_.finished()) complete_copy(outlet);
}

// The last shard's COPY_COMPLETED comes with the one of the whole stream, if every shard of it copied something.
void ShardReader::complete_copy(Outlet& outlet) {
  copying_ = false;
  events_.forget_fields();
  vtgate::VStreamResponse response;
  events_.add(response, binlogdata::COPY_COMPLETED);
  if (++state_->copies_completed == state_->vgtid.shard_gtids_size()) {
    response.add_events()->set_type(binlogdata::COPY_COMPLETED);
  }
  outlet.send(response);
}

}  // namespace vstream::simulator
