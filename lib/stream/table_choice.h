#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binlogdata.pb.h"
#include "stream/pattern.h"
#include "vstream/tail.h"

namespace vstream {

/// A selector with its regular expression ready.
class TableMatch {
 public:
  /// Its expression is known to be right (Selector::parse); a wrong one matches nothing.
  explicit TableMatch(Selector selector);

  const Selector& selector() const { return selector_; }
  const std::optional<Pattern>& pattern() const { return pattern_; }
  /// True when it is neither a name nor an expression.
  bool takes_all() const { return !selector_.table && !selector_.pattern; }
  bool takes(std::string_view table) const;
  bool is_on(std::string_view shard) const { return !selector_.shard || *selector_.shard == shard; }

 private:
  Selector selector_;
  std::optional<Pattern> pattern_;
};

/// Which tables of one keyspace are wanted, and what is asked of each: selectors, exclusions and queries together.
/// Knows nothing of what exists. A value; not synchronised.
class TableChoice {
 public:
  TableChoice() = default;
  /// Takes what `options` says about this keyspace.
  TableChoice(std::string_view keyspace, const TailOptions& options);

  const std::vector<TableMatch>& selected() const { return selected_; }
  const std::vector<TableMatch>& excluded() const { return excluded_; }
  const std::vector<TableQuery>& queries() const { return queries_; }

  /// True for rows of that table on that shard.
  bool wants(std::string_view shard, std::string_view table) const;
  /// Of the tables that exist those that are wanted on some shard, in their order.
  std::vector<std::string> of(const std::vector<std::string>& existing) const;
  /// True for a helper of schema changes that is left out although a selector takes it.
  bool hides(std::string_view table) const;
  /// True when a selector takes tables that are made later, too.
  bool may_grow() const;
  /// Null: every column of every row.
  const TableQuery* query(std::string_view table) const;
  /// True when only some columns of the table are asked for.
  bool projects(std::string_view table) const;

  /// Adds the rule for one table.
  void add_rule(const std::string& table, binlogdata::Filter& filter) const;
  /// Adds the rules for `tables` and for all that the selectors take later. The first one that matches is applied.
  void add_rules(const std::vector<std::string>& tables, binlogdata::Filter& filter) const;

 private:
  bool shows(const TableMatch& match, std::string_view table) const;
  bool is_named(std::string_view table) const;

  std::vector<TableMatch> selected_;
  std::vector<TableMatch> excluded_;
  std::vector<TableQuery> queries_;
  bool internal_tables_ = false;
};

}  // namespace vstream
