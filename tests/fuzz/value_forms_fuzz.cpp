// `--as`: whatever the text, reading it does not crash; what is read has a form for each item, and nothing else is.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vstream/value_forms.h"

namespace {

constexpr std::array<std::string_view, 6> kForms = {"bigint=string", "decimal=number", "timestamp=raw",
                                                    "binary=hex",    "json=string",    "set=array"};

bool is_list_of_forms(std::string_view text) {
  for (std::size_t start = 0;;) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    if (std::ranges::find(kForms, text.substr(start, comma - start)) == kForms.end()) return false;
    if (comma == text.size()) return true;
    start = comma + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto forms = vstream::parse_value_forms(text);
  if (forms.has_value() != is_list_of_forms(text)) std::abort();
  if (!forms) return 0;
  const std::array<bool, 6> set = {forms->bigint_string, forms->decimal_number, forms->timestamp_raw,
                                   forms->binary_hex,    forms->json_string,    forms->set_array};
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] != (text.find(kForms[i]) != std::string_view::npos)) std::abort();
  }
  return 0;
}
