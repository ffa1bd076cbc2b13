#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "position/text.h"
#include "stream/condition.h"
#include "vstream/selector.h"
#include "vtgate/topology.h"

namespace vstream {
namespace {

// Cuts a name off the front of `text`: in backticks, or what stands before one of `ends`. None: it has no end.
std::optional<std::string> take_name(std::string_view& text, std::string_view ends) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string name;
  if (!text.starts_with('`')) {
    const std::string_view plain = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(plain.size());
    return std::string(trimmed(plain));
  }
  text.remove_prefix(1);
  while (true) {
    const std::size_t tick = text.find('`');
    if (tick == std::string_view::npos) return std::nullopt;
    name += text.substr(0, tick);
    text.remove_prefix(tick + 1);
    if (!text.starts_with('`')) break;
    name += '`';
    text.remove_prefix(1);
  }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return name;
}

std::unexpected<Error> wrong(std::string_view what, std::string_view text, std::string_view why,
                             std::string_view example) {
  return fail(ErrorCode::kUsage, fmt::format("cannot read the {} \"{}\": {}", what, text, why),
              fmt::format("it looks like \"{}\"; a name that holds its separator is put in backticks", example));
}

// Cuts `KEYSPACE.TABLE:` off; what is left is for the caller. None: it is none.
std::optional<TableQuery> take_table(std::string_view& text) {
  TableQuery query;
  auto name = take_name(text, ".:");
  if (name && text.starts_with('.')) {
    query.keyspace = *std::move(name);
    text.remove_prefix(1);
    name = query.keyspace.empty() ? std::nullopt : take_name(text, ":");
  }
  if (!name || name->empty() || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  query.table = *std::move(name);
  return query;
}

}  // namespace

Result<TableQuery> TableQuery::parse_where(std::string_view text) {
  constexpr std::string_view kExample = "commerce.product: price > 5";
  if (!is_valid_utf8(text)) return wrong("condition", text, "it is not UTF-8", kExample);
  std::string_view rest = text;
  auto query = take_table(rest);
  if (!query) return wrong("condition", text, "no table and colon stand before it", kExample);
  query->where = trimmed(rest);
  if (query->where.empty()) return wrong("condition", text, "nothing stands after the colon", kExample);
  if (auto possible = read_condition(query->where); !possible) return std::unexpected(std::move(possible.error()));
  return *std::move(query);
}

Result<TableQuery> TableQuery::parse_columns(std::string_view text) {
  constexpr std::string_view kExample = "commerce.product: id,name";
  if (!is_valid_utf8(text)) return wrong("column list", text, "it is not UTF-8", kExample);
  std::string_view rest = text;
  auto query = take_table(rest);
  if (!query) return wrong("column list", text, "no table and colon stand before it", kExample);
  while (true) {
    auto name = take_name(rest, ",");
    if (!name || name->empty()) return wrong("column list", text, "a column has no name", kExample);
    if (*name == "*") return wrong("column list", text, "every column comes anyway", kExample);
    for (const std::string& other : query->columns) {
      if (same_column(other, *name)) return wrong("column list", text, "a column is named twice", kExample);
    }
    query->columns.push_back(*std::move(name));
    if (rest.empty()) return *std::move(query);
    if (!rest.starts_with(',')) return wrong("column list", text, "a comma is missing", kExample);
    rest.remove_prefix(1);
  }
}

std::string TableQuery::to_select() const {
  std::string list;
  for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + quoted_name(column);
  // Parentheses, so that a condition cannot end in anything but itself.
  return fmt::format("select {} from {}{}", list.empty() ? "*" : list, quoted_name(table),
                     where.empty() ? "" : " where (" + where + ")");
}

}  // namespace vstream
