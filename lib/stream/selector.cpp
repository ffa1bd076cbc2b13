#include "vstream/selector.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "stream/pattern.h"

namespace vstream {
namespace {

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kUsage, fmt::format("cannot read the selector \"{}\": {}", text, why),
              "a selector is KEYSPACE, KEYSPACE.TABLE, KEYSPACE./REGEX/, KEYSPACE/SHARD or KEYSPACE/SHARD.TABLE");
}

bool is_pattern(std::string_view table) { return table.size() > 1 && table.starts_with('/') && table.ends_with('/'); }

}  // namespace

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  const std::size_t dot = text.find('.');
  const std::string_view place = text.substr(0, dot);
  const std::size_t slash = place.find('/');
  selector.keyspace = place.substr(0, slash);
  if (selector.keyspace.empty()) return wrong(text, "it names no keyspace");
  if (!is_valid_utf8(text)) return wrong(text, "it is not UTF-8");
  if (slash != std::string_view::npos) {
    selector.shard = place.substr(slash + 1);
    if (selector.shard->empty()) return wrong(text, "no shard stands after the slash");
  }
  if (dot == std::string_view::npos) return selector;
  const std::string_view table = text.substr(dot + 1);
  if (table.empty()) return wrong(text, "no table stands after the dot");
  if (!is_pattern(table)) {
    selector.table = table;
    return selector;
  }
  selector.pattern = table.substr(1, table.size() - 2);
  if (auto pattern = Pattern::parse(*selector.pattern); !pattern) {
    pattern.error().message = fmt::format("cannot read the selector \"{}\": {}", text, pattern.error().message);
    return std::unexpected(std::move(pattern.error()));
  }
  return selector;
}

std::string Selector::to_string() const {
  std::string text = keyspace;
  if (shard) text += "/" + *shard;
  if (table) text += "." + *table;
  if (pattern) text += "./" + *pattern + "/";
  return text;
}

}  // namespace vstream
