#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vstream {

/// A word, number, text in quotes, or symbol of an SQL text, as written. A view into the text.
struct SqlToken {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,
    kQuotedName,  ///< in backticks
    kNumber,      ///< or a name that begins with a digit
    kString,
    kSymbol,
    kBroken  ///< a quote that is not closed
  };
  Kind kind = Kind::kEnd;
  std::string_view text = {};

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  /// In any case; `upper` is in upper case.
  bool is_word(std::string_view upper) const;
  /// The name that it stands for, without its backticks.
  std::string name() const;
};

/// Cuts the next token off `text`. Comments are not known: they are symbols.
SqlToken next_sql_token(std::string_view& text);

}  // namespace vstream
