// VGTIDs in all their forms: whatever the text, parsing does not crash; what parses reads back from its JSON, and from
// its short form, as the same VGTID.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vstream/position.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto vgtid = vstream::parse_vgtid(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!vgtid) return 0;
  if (vstream::parse_vgtid(vstream::vgtid_to_json(*vgtid)).value() != *vgtid) std::abort();
  // The texts of other flavors are not ours to judge: one with an @ can look like the beginning of the next shard.
  auto is_plain = [](const vstream::ShardPosition& entry) { return entry.gtid.starts_with("MySQL56/"); };
  if (!std::ranges::all_of(*vgtid, is_plain)) return 0;
  if (vstream::parse_vgtid(vstream::vgtid_to_short(*vgtid)).value() != *vgtid) std::abort();
  return 0;
}
