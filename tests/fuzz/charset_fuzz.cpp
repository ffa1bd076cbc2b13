// Text in any character set: whatever the bytes, what is printed is UTF-8, its JSON form reads back as its plain form,
// nothing is longer than it can be, and what is lost is told exactly when U+FFFD stands in for something.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "encode/charset.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto count = static_cast<std::size_t>(vstream::Charset::kUjis) + 1;
  const auto charset = static_cast<vstream::Charset>(data[0] % count);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  vstream::Buffer plain;
  vstream::Buffer json;
  const auto fidelity = vstream::append_plain_text(plain, bytes, charset);
  require(vstream::append_text(json, bytes, charset) == fidelity);
  require(vstream::is_valid_utf8(plain.view()));
  require(nlohmann::json::parse(json.view()).get<std::string>() == plain.view());
  require(plain.size() <= 3 * bytes.size());
  const bool replaced = plain.view().find("\xEF\xBF\xBD") != std::string_view::npos;
  require(replaced || fidelity == vstream::TextFidelity::kExact);
  const bool ascii = std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii && vstream::is_ascii_compatible(charset)) require(plain.view() == bytes);
  return 0;
}
