#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "vstream/error.h"

namespace re2 {
class RE2;
}

namespace vstream {

/// A regular expression over bare table names that has to match the whole name. Matching takes time in proportion to
/// the name, whatever the expression. RE2's syntax is Go's, so the tablet can be asked for exactly the same names
/// (docs/adr/0013-regular-expressions.md). Cheap to copy; const, so thread safe.
class Pattern {
 public:
  /// Errors: kUsage with what is wrong. Also for what Go would not read the same way.
  static Result<Pattern> parse(std::string_view text);

  bool matches(std::string_view name) const;
  /// The same expression as a filter rule: VTGate takes what stands between slashes, and matches it anywhere in a name.
  std::string rule() const;
  /// A rule for one name, which cannot stand there as it is when it begins with a slash.
  static std::string rule_for_name(std::string_view name);

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> anchored) : anchored_(std::move(anchored)) {}

  std::shared_ptr<const re2::RE2> anchored_;
};

}  // namespace vstream
