#include "vstream/tail.h"

#include <utility>

#include "stream/selection.h"
#include "stream/session.h"
#include "vtgate/channel.h"
#include "vtgate/sql.h"

namespace vstream {

std::string_view end_reason_name(EndReason reason) {
  switch (reason) {
    case EndReason::kCount: return "count";
    case EndReason::kDuration: return "duration";
    case EndReason::kSignal: return "signal";
    case EndReason::kCopyCompleted: return "copy_completed";
    case EndReason::kPipe: return "pipe";
  }
  return "";
}

Result<TailEnd> tail(const TailOptions& options, Sink& sink, std::stop_token stop, const LogHook& log) {
  const auto channel = make_channel(options.connection);
  const SqlClient sql(channel, options.connection.connect_timeout, stop);
  auto selection = Selection::resolve(options, sql, log);
  if (stop.stop_requested()) return TailEnd{};  // before anything began: a clean end, too
  if (!selection) return std::unexpected(std::move(selection.error()));
  Session session(options, *std::move(selection), channel, sink, std::move(stop), log);
  return session.run();
}

}  // namespace vstream
