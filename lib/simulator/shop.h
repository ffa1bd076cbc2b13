#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "simulator/backend.h"
#include "simulator/doorbell.h"
#include "simulator/shard_log.h"
#include "simulator/shop_writer.h"

namespace vstream::simulator {

struct ShopOptions {
  double rows_per_second = 5;  ///< 0: nothing happens after the opening
  std::uint64_t seed = 1;
  std::size_t most_transactions = 100'000;  ///< that each binlog keeps; older positions are lost
};

/// The demo shop: `commerce` on one shard, `customer` on two, and a thread in which orders keep arriving.
class Shop final : public Backend {
 public:
  /// The doorbell rings at every change; stopping it stops the shop. It outlives the shop.
  Shop(const ShopOptions& options, Doorbell& doorbell);

  const Topology& topology() const override { return topology_; }
  ServerVariables variables(const Tablet& tablet) const override;
  const TableSchema* schema(std::string_view keyspace, std::string_view table) const override;
  grpc::Status stream(const vtgate::VStreamRequest& request, Outlet& outlet) override;

 private:
  grpc::Status play(const vtgate::VStreamRequest& request, Outlet& outlet);
  const ShardLog& log(std::string_view keyspace, std::string_view shard) const;
  void run(double rows_per_second);

  Topology topology_;
  Doorbell& doorbell_;
  ShardLog commerce_;
  std::vector<std::unique_ptr<ShardLog>> customer_;
  ShopWriter writer_;
  std::jthread thread_;  ///< the last member: it uses all others
};

}  // namespace vstream::simulator
