#include "stream/raw.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "base/utf8.h"
#include "vtgate.pb.h"
#include "vtgate/response.h"

namespace vstream {
namespace {

// Protobuf refuses a whole response for one statement that is not UTF-8.
std::string with_readable_statements(std::string_view response) {
  std::string readable(response);
  ResponseReader events(readable);
  EventView event;
  while (events.next(event)) {
    if (is_valid_utf8(event.statement)) continue;
    const auto at = static_cast<std::size_t>(event.statement.data() - readable.data());
    for (std::size_t i = at; i < at + event.statement.size(); ++i) {
      if (static_cast<unsigned char>(readable[i]) >= 0x80) readable[i] = '?';
    }
  }
  return readable;
}

bool parse(std::string_view response, vtgate::VStreamResponse& message) {
  return message.ParseFromArray(response.data(), static_cast<int>(response.size()));
}

}  // namespace

Result<void> append_raw_line(Buffer& out, std::string_view response) {
  const google::protobuf::LogSilencer errors_are_values;
  vtgate::VStreamResponse message;
  std::string json;
  const bool parsed = parse(response, message) || parse(with_readable_statements(response), message);
  if (!parsed || !google::protobuf::util::MessageToJsonString(message, &json).ok()) {
    return fail(ErrorCode::kDecode, "cannot decode a response");
  }
  out.append(json);
  out.push('\n');
  return {};
}

}  // namespace vstream
