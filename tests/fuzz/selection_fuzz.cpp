// What says which tables, columns and rows to stream: whatever the text, parsing does not crash and takes no time; what
// parses keeps its meaning when it is written out and read back.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stream/condition.h"
#include "stream/ddl_table.h"
#include "stream/pattern.h"
#include "vstream/flags.h"
#include "vstream/selector.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_selector(std::string_view text) {
  const auto selector = vstream::Selector::parse(text);
  if (!selector) return;
  require(selector->to_string() == text && !(selector->table && selector->pattern));
  if (!selector->pattern) return;
  const auto pattern = vstream::Pattern::parse(*selector->pattern);
  require(pattern.has_value());
  // VTGate trims the slashes and reads what is left.
  const std::string rule = pattern->rule();
  require(vstream::Pattern::parse(std::string_view(rule).substr(1, rule.size() - 2)).has_value() || rule.size() > 1000);
  static_cast<void>(pattern->matches(text));
}

void check_query(const vstream::Result<vstream::TableQuery>& query) {
  if (!query) return;
  require(!query->table.empty() && !query->to_select().empty());
  require(query->where.size() > 40 || query->where.empty() ||
          vstream::read_condition("(" + query->where + ")").has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_selector(text);
  check_query(vstream::TableQuery::parse_where(text));
  check_query(vstream::TableQuery::parse_columns(text));
  static_cast<void>(vstream::read_condition(text));
  static_cast<void>(vstream::ddl_table(text));
  vstream::StreamFlags flags;
  const std::size_t equals = std::min(text.find('='), text.size());
  static_cast<void>(flags.set(text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))));
  return 0;
}
