#include "stream/raw.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "vtgate.pb.h"

namespace vstream {

Result<void> append_raw_line(Buffer& out, std::string_view response) {
  const google::protobuf::LogSilencer errors_are_values;
  vtgate::VStreamResponse message;
  std::string json;
  if (!message.ParseFromArray(response.data(), static_cast<int>(response.size())) ||
      !google::protobuf::util::MessageToJsonString(message, &json).ok()) {
    return fail(ErrorCode::kDecode, "cannot decode a response");
  }
  out.append(json);
  out.push('\n');
  return {};
}

}  // namespace vstream
