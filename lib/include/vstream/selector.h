#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"

namespace vstream {

/// What to stream: `commerce`, `commerce.product`, `customer/-80`, `customer/-80.orders`, `commerce./ord.*/`. The table
/// name is everything after the first dot, so it may hold dots itself. Between slashes stands a regular expression in
/// RE2's syntax, which has to match the whole bare name; the keyspace is always literal.
struct Selector {
  std::string keyspace = {};
  std::optional<std::string> shard = {};
  std::optional<std::string> table = {};    ///< never together with `pattern`
  std::optional<std::string> pattern = {};  ///< without its slashes

  /// Errors: kUsage, naming the selector and what is wrong with it.
  static Result<Selector> parse(std::string_view text);
  std::string to_string() const;

  friend bool operator==(const Selector&, const Selector&) = default;
};

/// Some of the columns and some of the rows of one table. The server evaluates it: to_select() is the rule it gets.
struct TableQuery {
  std::string keyspace = {};
  std::string table = {};                 ///< bare
  std::vector<std::string> columns = {};  ///< none: all
  std::string where = {};                 ///< what stands after WHERE; none: every row

  /// Read `KEYSPACE.TABLE: CONDITION` and `KEYSPACE.TABLE: COLUMN,COLUMN`. A name with a colon, a column with a comma
  /// is put in backticks. Without `KEYSPACE.` the keyspace is left empty. Errors: kUsage; for conditions that no server
  /// takes, too.
  static Result<TableQuery> parse_where(std::string_view text);
  static Result<TableQuery> parse_columns(std::string_view text);
  /// ``select `id`, `name` from `product` where (price > 5)``
  std::string to_select() const;

  friend bool operator==(const TableQuery&, const TableQuery&) = default;
};

}  // namespace vstream
