#include "transcript.h"

#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <utility>

namespace vstream::reference {

std::expected<std::vector<vtgate::VStreamResponse>, std::string> read_transcript(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::unexpected("cannot read " + path);
  std::vector<vtgate::VStreamResponse> responses;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  for (std::string line; std::getline(file, line);) {
    const auto status = google::protobuf::util::JsonStringToMessage(line, &responses.emplace_back(), options);
    if (!status.ok()) return std::unexpected(path + ":" + std::to_string(responses.size()) + ": " + status.ToString());
  }
  return responses;
}

}  // namespace vstream::reference
