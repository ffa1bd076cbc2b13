#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "simulator/shard_log.h"

namespace vstream::simulator {

/// The application that fills the demo shop: the only writer of its shards. Everything it writes, times in the rows
/// included, follows from the seed: two shops with one seed have the same binlogs. One thread.
class ShopWriter {
 public:
  /// The shards outlive the writer; `customer` has at least one. Customers and their orders share a shard.
  ShopWriter(ShardLog& commerce, std::vector<ShardLog*> customer, std::uint64_t seed);

  /// Suppliers, products, some customers and orders.
  void open_shop();

  /// One thing that happens in the shop: a transaction in one shard or two. Returns how many rows it changed.
  std::size_t step();

 private:
  struct OrderRef {
    ShardLog* shard;
    std::int64_t id;
  };

  std::uint64_t random(std::uint64_t below) { return random_() % below; }
  ShardLog& shard_of(std::int64_t customer) const;
  /// A time in the shop's life: seconds since it opened pass from step to step.
  std::string now(bool micros = false);

  std::size_t add_customer();
  std::size_t place_orders();
  std::size_t advance_order();
  std::size_t delete_order();
  std::size_t restock();
  std::size_t change_price();

  ShardLog& commerce_;
  const std::vector<ShardLog*> customer_;
  std::mt19937_64 random_;
  std::deque<OrderRef> orders_;  ///< those that exist, oldest first; bounded: old ones are deleted
  std::int64_t last_order_ = 0;
  std::int64_t last_customer_ = 0;
  std::int64_t seconds_ = 0;
};

}  // namespace vstream::simulator
