#include "stream/run_end.h"

#include <fmt/format.h>

#include <utility>

#include "encode/lines.h"

namespace vstream {
namespace {

Result<void> write_end_line(const TailOptions& options, Sink& sink, const TailEnd& end) {
  if (options.format != Format::kNative || !options.emit.has(Line::kEnd)) return {};
  Buffer line;
  append_end_line(line, end_reason_name(end.reason), end.rows, end.position);
  return sink.write(line.view());
}

}  // namespace

Result<TailEnd> end_run(const TailOptions& options, Sink& sink, Result<TailEnd> end) {
  if (end) {
    auto written = write_end_line(options, sink, *end);
    if (!written && written.error().code == ErrorCode::kReaderGone) {
      end->reason = EndReason::kPipe;
    } else if (!written) {
      end = std::unexpected(std::move(written.error()));
    }
  }
  const NotTaken left = sink.drain();
  if (end) {
    if (left.reader_gone) end->reason = EndReason::kPipe;
    end->lines_not_taken = left.lines;
  } else if (end.error().code == ErrorCode::kOutput && left.lines > 0) {
    end.error().message += fmt::format("; {} lines did not get through", left.lines);
  }
  return end;
}

}  // namespace vstream
