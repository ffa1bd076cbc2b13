#include "vstream/value_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vstream {
namespace {

constexpr std::array<std::pair<std::string_view, bool ValueForms::*>, 6> kForms = {{
    {"bigint=string", &ValueForms::bigint_string},
    {"decimal=number", &ValueForms::decimal_number},
    {"timestamp=raw", &ValueForms::timestamp_raw},
    {"binary=hex", &ValueForms::binary_hex},
    {"json=string", &ValueForms::json_string},
    {"set=array", &ValueForms::set_array},
}};

}  // namespace

Result<ValueForms> parse_value_forms(std::string_view text) {
  ValueForms forms;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto* const form = std::ranges::find(kForms, item, [](const auto& known) { return known.first; });
    if (form == kForms.end()) {
      return fail(ErrorCode::kUsage, fmt::format("--as does not know \"{}\"", item),
                  "it takes: bigint=string, decimal=number, timestamp=raw, binary=hex, json=string, set=array");
    }
    forms.*(form->second) = true;
    if (item.size() == text.size()) return forms;
    text.remove_prefix(item.size() + 1);
  }
}

}  // namespace vstream
