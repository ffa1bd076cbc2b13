#pragma once

#include <expected>
#include <string>
#include <vector>

#include "vtgate.pb.h"

namespace vstream::reference {

/// The responses of a transcript: a file with one VStreamResponse in protobuf JSON a line. The error names the line.
std::expected<std::vector<vtgate::VStreamResponse>, std::string> read_transcript(const std::string& path);

}  // namespace vstream::reference
