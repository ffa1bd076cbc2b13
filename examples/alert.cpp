// Tells when an order of the demo shop is cancelled: a condition on the values before and after a change.
//
//     vstream simulate --listen 127.0.0.1:15991 &
//     alert 127.0.0.1:15991
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "stop_on_signal.h"
#include "vstream/stream.h"

namespace {

std::string text_of(const vstream::Value* value) {
  return std::string(value != nullptr ? value->get().value_or("?") : "?");
}

vstream::Result<void> tell_cancelled(const vstream::Flush& flush) {
  for (const vstream::RowChange& row : flush.rows) {
    const vstream::Value* const status = row.after_of("status");
    if (status == nullptr || status->get() != "cancelled") continue;
    if (text_of(row.before_of("status")) == "cancelled") continue;  // it was so already
    std::printf("order %s was cancelled: %s on shard %s\n", text_of(row.after_of("order_id")).c_str(),
                text_of(row.after_of("total")).c_str(), row.table->shard.c_str());
    std::fflush(stdout);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: alert HOST:PORT\n");
    return 64;
  }
  const StopOnSignal signals;
  vstream::StreamOptions options;
  options.connection.address = argv[1];
  options.keyspace = "customer";
  options.tables = {{.name = "orders", .on_flush = tell_cancelled}};
  options.min_flush_duration = std::chrono::milliseconds(0);  // at the end of each transaction
  options.log = [](vstream::LogLevel level, std::string_view text) {
    if (level != vstream::LogLevel::kDebug) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  };
  const auto end = vstream::Stream(std::move(options)).run(signals.token());
  if (end) return 0;
  std::fprintf(stderr, "alert: %s\n%s\n", end.error().message.c_str(), end.error().hint.c_str());
  return 1;
}
