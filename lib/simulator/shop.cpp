#include "simulator/shop.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "simulator/shard_reader.h"
#include "simulator/start_rules.h"

namespace vstream::simulator {
namespace {

constexpr const char* kCustomerShards[] = {"-80", "80-"};

Topology shop_topology() {
  return {.keyspaces = {{.name = "commerce", .shards = {"0"}, .tables = {"product", "supplier"}},
                        {.name = "customer",
                         .shards = {std::begin(kCustomerShards), std::end(kCustomerShards)},
                         .tables = {"customer", "orders"}}}};
}

// The same seed gives the same servers: a restarted shop begins the same history anew.
Uuid server_uuid(std::uint64_t seed, std::uint64_t shard) {
  std::mt19937_64 random(seed * 1000 + shard);
  Uuid uuid;
  for (std::uint8_t& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random());
  return uuid;
}

std::vector<std::unique_ptr<ShardLog>> customer_logs(const ShopOptions& options) {
  std::vector<std::unique_ptr<ShardLog>> logs;
  for (const char* shard : kCustomerShards) {
    logs.push_back(
        std::make_unique<ShardLog>(shard, server_uuid(options.seed, logs.size() + 1), options.most_transactions));
  }
  return logs;
}

std::vector<ShardLog*> pointers(const std::vector<std::unique_ptr<ShardLog>>& logs) {
  std::vector<ShardLog*> out;
  for (const auto& log : logs) out.push_back(log.get());
  return out;
}

const std::vector<const TableSchema*>& tables_of(std::string_view keyspace) {
  static const std::vector<const TableSchema*> kCommerce{&shop_schema().product, &shop_schema().supplier};
  static const std::vector<const TableSchema*> kCustomer{&shop_schema().customer, &shop_schema().orders};
  return keyspace == "commerce" ? kCommerce : kCustomer;
}

}  // namespace

Shop::Shop(const ShopOptions& options, Doorbell& doorbell)
    : topology_(shop_topology()),
      doorbell_(doorbell),
      commerce_("0", server_uuid(options.seed, 0), options.most_transactions),
      customer_(customer_logs(options)),
      writer_(commerce_, pointers(customer_), options.seed) {
  writer_.open_shop();
  if (options.rows_per_second > 0) thread_ = std::jthread([this, rate = options.rows_per_second] { run(rate); });
}

void Shop::run(double rows_per_second) {
  using Clock = Doorbell::Clock;
  constexpr std::chrono::seconds kMostDebt{1};  // a shop that cannot keep up does not save up for a burst
  constexpr double kLongestPause = 86'400;      // seconds
  Clock::time_point due = Clock::now();
  while (!doorbell_.stopped_until(due)) {
    std::size_t rows = writer_.step();
    doorbell_.ring();
    std::chrono::duration<double> pause(std::min(static_cast<double>(rows) / rows_per_second, kLongestPause));
    due = std::max(due + std::chrono::duration_cast<Clock::duration>(pause), Clock::now() - kMostDebt);
  }
}

const ShardLog& Shop::log(std::string_view keyspace, std::string_view shard) const {
  if (keyspace == "commerce") return commerce_;
  return **std::ranges::find(customer_, shard, [](const auto& log) -> std::string_view { return log->shard(); });
}

ServerVariables Shop::variables(const Tablet& tablet) const {
  const ShardLog& server = log(tablet.keyspace, tablet.shard);
  bool primary = tablet.type == topodata::PRIMARY;
  return {.executed = server.executed().to_string(),
          .purged = server.purged().to_string(),
          .server_uuid = primary ? server.server().to_string() : tablet_uuid(tablet.alias)};
}

const TableSchema* Shop::schema(std::string_view keyspace, std::string_view table) const {
  const auto& tables = tables_of(keyspace);
  const auto found = std::ranges::find(tables, table, [](const TableSchema* schema) { return schema->name; });
  return found != tables.end() ? *found : nullptr;
}

grpc::Status Shop::stream(const vtgate::VStreamRequest& request, Outlet& outlet) {
  return after_hunt(play(request, outlet), outlet);
}

grpc::Status Shop::play(const vtgate::VStreamRequest& request, Outlet& outlet) {
  auto shards = begin_stream(request, topology_);
  if (!shards) return shards.error();
  if (shards->shard_gtids().empty()) return grpc::Status::OK;
  StreamState state{.vgtid = *shards};
  std::vector<ShardReader> readers;
  for (int i = 0; i < shards->shard_gtids_size(); ++i) {
    const binlogdata::ShardGtid& start = shards->shard_gtids(i);
    auto reader = ShardReader::make(request, state, i, log(start.keyspace(), start.shard()),
                                    find_tablet(topology_, start.keyspace(), start.shard(), request.tablet_type()),
                                    tables_of(start.keyspace()));
    if (!reader) return reader.error();
    readers.push_back(std::move(*reader));
  }
  while (outlet.open()) {
    std::uint64_t seen = doorbell_.rings();
    bool sent = false;
    for (ShardReader& reader : readers) {
      auto advanced = reader.advance(outlet);
      if (!advanced) return advanced.error();
      sent = sent || *advanced;
    }
    if (!sent) outlet.wait(seen);
  }
  return grpc::Status::OK;
}

}  // namespace vstream::simulator
