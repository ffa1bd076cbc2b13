#include "vstream/selector.h"

#include <fmt/format.h>

namespace vstream {
namespace {

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kUsage, fmt::format("cannot read the selector \"{}\": {}", text, why),
              "a selector is KEYSPACE, KEYSPACE.TABLE, KEYSPACE/SHARD or KEYSPACE/SHARD.TABLE");
}

}  // namespace

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  const std::size_t dot = text.find('.');
  const std::string_view place = text.substr(0, dot);
  const std::size_t slash = place.find('/');
  selector.keyspace = place.substr(0, slash);
  if (selector.keyspace.empty()) return wrong(text, "it names no keyspace");
  if (slash != std::string_view::npos) {
    selector.shard = place.substr(slash + 1);
    if (selector.shard->empty()) return wrong(text, "no shard stands after the slash");
  }
  if (dot != std::string_view::npos) {
    selector.table = text.substr(dot + 1);
    if (selector.table->empty()) return wrong(text, "no table stands after the dot");
    if (selector.table->size() > 1 && selector.table->starts_with('/') && selector.table->ends_with('/')) {
      return wrong(text, "patterns are not supported yet");
    }
  }
  return selector;
}

std::string Selector::to_string() const {
  std::string text = keyspace;
  if (shard) text += "/" + *shard;
  if (table) text += "." + *table;
  return text;
}

}  // namespace vstream
