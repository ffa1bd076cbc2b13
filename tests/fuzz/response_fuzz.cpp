// A response of any bytes: decoded as protobuf decodes it, and put together without harm.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../support/rebuilt_response.h"
#include "../support/text_of.h"
#include "stream/assembler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Above the bounds that only our decoder has, the two may differ.
  if (size < vstream::kMaxColumns && !vstream::testing::decoders_agree(bytes)) std::abort();
  vstream::AssemblerOptions options;
  options.emit = vstream::Lines::all();
  options.partial_images = vstream::PartialImages::kMark;
  vstream::Assembler assembler(options);
  const auto take = [](const vstream::Unit& unit) -> vstream::Result<bool> {
    if (const std::string text = vstream::testing::text_of(unit.lines); !text.empty() && text.back() != '\n')
      std::abort();
    return true;
  };
  // Twice: the second time with the tables known.
  if (assembler.consume(bytes, take)) (void)assembler.consume(bytes, take);
  return 0;
}
