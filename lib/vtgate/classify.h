#pragma once

#include <string>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// A gRPC status as it was received. A plain pair, so that errors can be judged without gRPC.
struct StatusView {
  int code = 0;  ///< grpc::StatusCode; VTGate also sends 17 and 18
  std::string_view text = {};
};

/// Makes an error of what a call to VTGate ended with: the one place that judges them.
///
/// Most failures of a tablet's stream arrive as UNKNOWN with the cause somewhere in a text of several lines, so
/// literal parts of the text are looked for anywhere in it before the code counts (go/vt/vtgate/vstream_manager.go,
/// go/vt/vttablet/tabletserver/vstreamer). SQL texts are cut before the statement and its bind values.
Error classify(const StatusView& status);

/// The same for an error inside an ExecuteResponse, whose code is a vtrpc.Code (the same numbers).
Error classify_sql(int code, std::string_view text);

/// `text` up to "(CallerID", where VTGate adds the statement and all bind values.
std::string_view without_bind_values(std::string_view text);

}  // namespace vstream
