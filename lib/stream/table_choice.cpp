#include "stream/table_choice.h"

#include <algorithm>
#include <utility>

#include "vtgate/table_name.h"

namespace vstream {
namespace {

std::vector<TableMatch> of_keyspace(std::string_view keyspace, const std::vector<Selector>& selectors) {
  std::vector<TableMatch> matches;
  for (const Selector& selector : selectors) {
    if (selector.keyspace == keyspace) matches.emplace_back(selector);
  }
  return matches;
}

void add(binlogdata::Filter& filter, std::string match, std::string select = {}) {
  binlogdata::Rule& rule = *filter.add_rules();
  rule.set_match(std::move(match));
  rule.set_filter(std::move(select));
}

}  // namespace

TableMatch::TableMatch(Selector selector) : selector_(std::move(selector)) {
  if (!selector_.pattern) return;
  if (auto pattern = Pattern::parse(*selector_.pattern)) pattern_ = *std::move(pattern);
}

bool TableMatch::takes(std::string_view table) const {
  if (selector_.pattern) return pattern_ && pattern_->matches(table);
  return !selector_.table || *selector_.table == table;
}

TableChoice::TableChoice(std::string_view keyspace, const TailOptions& options)
    : selected_(of_keyspace(keyspace, options.selectors)),
      excluded_(of_keyspace(keyspace, options.exclude)),
      internal_tables_(options.internal_tables) {
  std::ranges::copy_if(options.queries, std::back_inserter(queries_),
                       [&](const TableQuery& query) { return query.keyspace == keyspace; });
}

// Who names a helper of a schema change wants it.
bool TableChoice::shows(const TableMatch& match, std::string_view table) const {
  switch (table_kind(table)) {
    case TableKind::kOrdinary: return true;
    case TableKind::kShadow: return internal_tables_ || match.selector().table;
    case TableKind::kNeverStreamed: return false;
  }
  return false;
}

bool TableChoice::wants(std::string_view shard, std::string_view table) const {
  const auto is_of = [&](const TableMatch& match) { return match.is_on(shard) && match.takes(table); };
  return std::ranges::any_of(selected_, [&](const auto& match) { return is_of(match) && shows(match, table); }) &&
         std::ranges::none_of(excluded_, is_of);
}

std::vector<std::string> TableChoice::of(const std::vector<std::string>& existing) const {
  std::vector<std::string> chosen;
  for (const std::string& table : existing) {
    const auto takes = [&](const TableMatch& match) { return match.takes(table) && shows(match, table); };
    const auto drops = [&](const TableMatch& match) { return match.takes(table) && !match.selector().shard; };
    if (std::ranges::any_of(selected_, takes) && std::ranges::none_of(excluded_, drops)) chosen.push_back(table);
  }
  return chosen;
}

bool TableChoice::hides(std::string_view table) const {
  const auto takes = [&](const TableMatch& match) { return match.takes(table); };
  const auto takes_and_shows = [&](const TableMatch& match) { return match.takes(table) && shows(match, table); };
  return std::ranges::any_of(selected_, takes) && std::ranges::none_of(selected_, takes_and_shows);
}

bool TableChoice::may_grow() const {
  return std::ranges::any_of(selected_, [](const TableMatch& match) { return !match.selector().table; });
}

bool TableChoice::is_named(std::string_view table) const {
  return std::ranges::any_of(selected_, [&](const TableMatch& match) { return match.selector().table == table; });
}

const TableQuery* TableChoice::query(std::string_view table) const {
  const auto found = std::ranges::find(queries_, table, &TableQuery::table);
  return found == queries_.end() ? nullptr : &*found;
}

bool TableChoice::projects(std::string_view table) const {
  const TableQuery* const asked = query(table);
  return asked != nullptr && !asked->columns.empty();
}

void TableChoice::add_rule(const std::string& table, binlogdata::Filter& filter) const {
  // VTGate takes what begins with a slash for a regular expression.
  if (table.starts_with('/')) return add(filter, Pattern::rule_for_name(table));
  // An exact rule with an empty filter copies well, and dies at the table's first change.
  const TableQuery* const asked = query(table);
  add(filter, table, asked != nullptr ? asked->to_select() : TableQuery{.table = table}.to_select());
}

void TableChoice::add_rules(const std::vector<std::string>& tables, binlogdata::Filter& filter) const {
  const bool all = std::ranges::any_of(selected_, &TableMatch::takes_all);
  for (const std::string& table : tables) {
    if (query(table) != nullptr || (!all && is_named(table))) add_rule(table, filter);
  }
  if (all) return add(filter, "/.*/");
  for (const TableMatch& match : selected_) {
    if (match.pattern()) add(filter, match.pattern()->rule());
  }
}

}  // namespace vstream
