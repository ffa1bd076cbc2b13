#include "stream/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace vstream {
namespace {

// A table's name has 64 characters; an expression of this length nests less than Go allows.
constexpr std::size_t kLongest = 1000;

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kUsage, fmt::format("cannot read the regular expression \"{}\": {}", text, why),
              "its syntax is RE2's, which is also VTGate's");
}

std::string anchored_at_both_ends(std::string_view text) { return fmt::format("^(?:{})$", text); }
std::string rule_of(const std::string& expression) { return "/" + expression + "/"; }

// \C matches one byte in RE2 and is no syntax in Go, where VTGate would silently match nothing.
bool has_byte_class(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    if (text[++i] == 'C') return true;
  }
  return false;
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  if (text.empty()) return wrong(text, "it is empty");
  if (text.size() > kLongest) return wrong(text.substr(0, 40), "it is too long");
  if (has_byte_class(text)) return wrong(text, "\\C is not possible");
  re2::RE2::Options options;
  options.set_log_errors(false);
  // By itself, because "a)|(b" would get out of the anchors; and between them, because "\Qa" would swallow them.
  const re2::RE2 alone(re2::StringPiece(text.data(), text.size()), options);
  if (!alone.ok()) return wrong(text, alone.error());
  auto anchored = std::make_shared<const re2::RE2>(anchored_at_both_ends(text), options);
  if (!anchored->ok()) return wrong(text, anchored->error());
  return Pattern(std::move(anchored));
}

bool Pattern::matches(std::string_view name) const {
  return re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *anchored_);
}

std::string Pattern::rule() const { return rule_of(anchored_->pattern()); }

std::string Pattern::rule_for_name(std::string_view name) {
  return rule_of(anchored_at_both_ends(re2::RE2::QuoteMeta(re2::StringPiece(name.data(), name.size()))));
}

}  // namespace vstream
