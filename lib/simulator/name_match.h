#pragma once

#include <expected>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "binlogdata.pb.h"

namespace vstream::simulator {

/// A name, or a pattern in slashes that may match anywhere in the name (Go's unanchored MatchString).
class NameMatch {
 public:
  /// `text` is "/pattern/"; the slashes at both ends fall away. ECMAScript's syntax stands in for Go's, they agree on
  /// what people write. Errors: a text that says what is wrong with the pattern.
  static std::expected<NameMatch, std::string> regex(std::string_view text);
  static NameMatch exact(std::string_view name);

  bool matches(std::string_view name) const;

 private:
  std::string name_;  ///< if there is no pattern
  bool is_pattern_ = false;
  std::regex pattern_;
};

/// The tables that a request's filter lets through (go/vt/vttablet/tabletserver/vstreamer/planbuilder.go), as far as
/// whole tables go: ``select * from `t` `` for an exact name, an empty filter for a pattern.
class TableFilter {
 public:
  /// Null: every table. Errors: the text a tablet would give, or "unsupported: …" for what real tablets can do and the
  /// simulator cannot.
  static std::expected<TableFilter, std::string> make(const binlogdata::Filter* filter);

  /// `table` is the bare name.
  bool matches(std::string_view table) const;

  /// The names of rules without a pattern: these tables have to exist when a copy starts.
  const std::vector<std::string>& exact_names() const { return exact_names_; }

 private:
  std::vector<NameMatch> rules_;
  std::vector<std::string> exact_names_;
};

}  // namespace vstream::simulator
