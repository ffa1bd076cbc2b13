#include "simulator/scenario_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace vstream::simulator {
namespace {

struct CodeName {
  std::string_view name;
  grpc::StatusCode code;
};
constexpr auto kCodes = std::to_array<CodeName>({
    {"CANCELLED", grpc::StatusCode::CANCELLED},
    {"UNKNOWN", grpc::StatusCode::UNKNOWN},
    {"INVALID_ARGUMENT", grpc::StatusCode::INVALID_ARGUMENT},
    {"DEADLINE_EXCEEDED", grpc::StatusCode::DEADLINE_EXCEEDED},
    {"NOT_FOUND", grpc::StatusCode::NOT_FOUND},
    {"ALREADY_EXISTS", grpc::StatusCode::ALREADY_EXISTS},
    {"PERMISSION_DENIED", grpc::StatusCode::PERMISSION_DENIED},
    {"RESOURCE_EXHAUSTED", grpc::StatusCode::RESOURCE_EXHAUSTED},
    {"FAILED_PRECONDITION", grpc::StatusCode::FAILED_PRECONDITION},
    {"ABORTED", grpc::StatusCode::ABORTED},
    {"OUT_OF_RANGE", grpc::StatusCode::OUT_OF_RANGE},
    {"UNIMPLEMENTED", grpc::StatusCode::UNIMPLEMENTED},
    {"INTERNAL", grpc::StatusCode::INTERNAL},
    {"UNAVAILABLE", grpc::StatusCode::UNAVAILABLE},
    {"DATA_LOSS", grpc::StatusCode::DATA_LOSS},
    {"UNAUTHENTICATED", grpc::StatusCode::UNAUTHENTICATED},
});

}  // namespace

grpc::StatusCode read_status_code(const JsonNode& node) {
  const std::string name = node.text();
  auto found = std::ranges::find(kCodes, name, &CodeName::name);
  if (found != kCodes.end()) return found->code;
  std::string names;
  for (const CodeName& known : kCodes) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  node.complain(fmt::format("\"{}\" is no code of an error: {}", name, names));
  return grpc::StatusCode::UNKNOWN;
}

}  // namespace vstream::simulator
