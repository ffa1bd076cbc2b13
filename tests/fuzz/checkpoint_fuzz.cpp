// Checkpoints as text: whatever the text, parsing does not crash; what parses reads back as the same checkpoint.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vstream/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto checkpoint = vstream::parse_checkpoint(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!checkpoint) return 0;
  const auto again = vstream::parse_checkpoint(vstream::checkpoint_to_json(*checkpoint));
  // A cursor may be written in another way than it was read, but only once.
  if (!again || vstream::checkpoint_to_json(*again) != vstream::checkpoint_to_json(*checkpoint)) std::abort();
  return 0;
}
