// A scenario of any text: read without harm; what is wrong with it is said, on a place in the document.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "simulator/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = vstream::simulator::parse_scenario(text, "fuzz");
  if (scenario) {
    if (scenario->calls.empty() || scenario->topology.keyspaces.empty()) std::abort();
    return 0;
  }
  const std::string& message = scenario.error().message;
  if (message.find("is no JSON") == message.npos && message.find("\n$") == message.npos) std::abort();
  return 0;
}
