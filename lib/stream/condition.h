#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"

namespace vstream {

/// A column in a condition, and the literals that it is compared with, as written.
struct Comparison {
  std::string column;
  std::vector<std::string> literals = {};

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// True if both name the same column: MySQL does not tell upper from lower case there.
bool same_column(std::string_view a, std::string_view b);

/// Reads a condition as far as a tablet can evaluate it on a change (go/vt/vttablet/tabletserver/vstreamer/
/// planbuilder.go, analyzeWhere): comparisons of a column with a literal, IN, [NOT] BETWEEN, IS [NOT] NULL and
/// in_keyrange(), joined by AND. A tablet tells that it cannot do more only at the first change of the table, which may
/// come hours later. Gives what it compares. Errors: kUsage, naming the part that is not possible.
Result<std::vector<Comparison>> read_condition(std::string_view text);

}  // namespace vstream
