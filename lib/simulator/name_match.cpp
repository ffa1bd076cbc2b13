#include "simulator/name_match.h"

#include <fmt/format.h>

#include <algorithm>

namespace vstream::simulator {
namespace {

constexpr std::size_t kMostText = 4096;  // std::regex takes stack for every character

// Whether it is "select * from t", in any case and spacing, with or without backticks.
bool selects_all_of(const std::string& filter, const std::string& table) {
  static const std::regex kForm(R"(\s*select\s+\*\s+from\s+(?:`((?:[^`]|``)+)`|(\S+?))\s*;?\s*)",
                                std::regex::ECMAScript | std::regex::icase);
  std::smatch parts;
  if (filter.size() > kMostText || !std::regex_match(filter, parts, kForm)) return false;
  std::string name = parts[1].matched ? parts[1].str() : parts[2].str();
  for (std::size_t at = name.find("``"); at != name.npos; at = name.find("``", at + 1)) name.erase(at, 1);
  return name == table;
}

}  // namespace

std::expected<NameMatch, std::string> NameMatch::regex(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  NameMatch match;
  match.is_pattern_ = true;
  try {
    if (text.size() > kMostText) throw std::regex_error(std::regex_constants::error_complexity);
    match.pattern_ = std::regex(text.begin(), text.end());
  } catch (const std::regex_error& error) {
    return std::unexpected(fmt::format("error parsing regexp: {}: `{}`", error.what(), text.substr(0, kMostText)));
  }
  return match;
}

NameMatch NameMatch::exact(std::string_view name) {
  NameMatch match;
  match.name_ = name;
  return match;
}

bool NameMatch::matches(std::string_view name) const {
  return is_pattern_ ? std::regex_search(name.begin(), name.end(), pattern_) : name == name_;
}

std::expected<TableFilter, std::string> TableFilter::make(const binlogdata::Filter* filter) {
  TableFilter out;
  if (filter == nullptr) {
    out.rules_.push_back(NameMatch::regex("/.*/").value());
    return out;
  }
  for (const binlogdata::Rule& rule : filter->rules()) {
    if (rule.match().starts_with('/')) {
      auto match = NameMatch::regex(rule.match());
      if (!match) return std::unexpected(match.error());
      if (!rule.filter().empty()) {
        return std::unexpected(fmt::format("unsupported: a key range in the simulator: {}", rule.filter()));
      }
      out.rules_.push_back(std::move(*match));
      continue;
    }
    if (!selects_all_of(rule.filter(), rule.match())) {
      return std::unexpected(fmt::format("unsupported: the simulator only knows \"select * from `{}`\", not: {}",
                                         rule.match(), rule.filter()));
    }
    out.rules_.push_back(NameMatch::exact(rule.match()));
    out.exact_names_.push_back(rule.match());
  }
  return out;
}

bool TableFilter::matches(std::string_view table) const {
  return std::ranges::any_of(rules_, [&](const NameMatch& rule) { return rule.matches(table); });
}

}  // namespace vstream::simulator
