// What a user's own test may look like: an embedded VTGate, a stream of it, rows as structs.
#include <vstream/row_binder.h>
#include <vstream/simulator.h>
#include <vstream/stream.h>

#include <cstdio>
#include <map>
#include <string>

namespace {

struct Order {
  long long id = 0;
  std::string status;
};

int fail(const vstream::Error& error) {
  std::fprintf(stderr, "%s\n%s\n", error.message.c_str(), error.hint.c_str());
  return 1;
}

}  // namespace

int main() {
  const auto simulator = vstream::Simulator::start({});
  if (!simulator) return fail(simulator.error());

  const auto binder = vstream::RowBinder<Order>().field("order_id", &Order::id).field("status", &Order::status);
  std::map<long long, Order> orders;
  vstream::MemoryStore store;
  vstream::StreamOptions options;
  options.connection.address = (*simulator)->address();
  options.keyspace = "customer";
  options.tables = {{.name = "orders", .on_flush = [&](const vstream::Flush& flush) -> vstream::Result<void> {
                       for (const vstream::RowChange& row : flush.rows) {
                         auto order = binder.bind(row);
                         if (!order) return std::unexpected(order.error());
                         if (row.op == vstream::RowOp::kDeleted) {
                           orders.erase(order->id);
                         } else {
                           orders[order->id] = *order;
                         }
                       }
                       return {};
                     }}};
  options.from = vstream::StartAt{.kind = vstream::StartAt::Kind::kCopy, .positions = {}};
  options.until_copy_completed = true;
  options.store = &store;
  const auto end = vstream::Stream(options).run();
  if (!end) return fail(end.error());

  std::printf("%zu orders, at %s\n", orders.size(), vstream::vgtid_to_short(end->position).c_str());
  const bool saved = store.checkpoint() && !store.checkpoint()->copy && store.checkpoint()->position == end->position &&
                     end->position.size() == 2;
  return !orders.empty() && saved ? 0 : 1;
}
