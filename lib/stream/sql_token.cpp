#include "stream/sql_token.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vstream {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return is_digit(c) || (byte | 0x20U) - 'a' < 26U || c == '_' || c == '$' || byte >= 0x80;
}

// The length of what begins with a quote; 0 if nothing closes it.
std::size_t quoted_length(std::string_view text) {
  const char quote = text[0];
  std::size_t at = 1;
  while (at < text.size()) {
    const bool doubled = text[at] == quote && at + 1 < text.size() && text[at + 1] == quote;
    const bool escaped = text[at] == '\\' && quote != '`';
    if (text[at] == quote && !doubled) return at + 1;
    at += doubled || escaped ? std::size_t{2} : std::size_t{1};
  }
  return 0;
}

std::size_t word_length(std::string_view text) {
  const bool number = is_digit(text[0]);
  std::size_t at = 1;
  for (; at < text.size(); ++at) {
    const bool sign = number && (text[at] == '-' || text[at] == '+') && (text[at - 1] | 0x20) == 'e';
    if (!is_word_char(text[at]) && !(number && text[at] == '.') && !sign) break;
  }
  return at;
}

std::size_t symbol_length(std::string_view text) {
  constexpr std::array<std::string_view, 7> kLong = {"<=>", "<=", ">=", "<>", "!=", "&&", "||"};
  const auto* const found =
      std::ranges::find_if(kLong, [&](std::string_view symbol) { return text.starts_with(symbol); });
  return found == kLong.end() ? 1 : found->size();
}

}  // namespace

bool SqlToken::is_word(std::string_view upper) const {
  return kind == Kind::kWord && std::ranges::equal(text, upper, {}, [](unsigned char c) { return std::toupper(c); });
}

std::string SqlToken::name() const {
  if (kind != Kind::kQuotedName) return std::string(text);
  std::string name;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    if (text[i] == '`') ++i;
  }
  return name;
}

SqlToken next_sql_token(std::string_view& text) {
  using Kind = SqlToken::Kind;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty()) return {};
  const char first = text[0];
  Kind kind = Kind::kSymbol;
  std::size_t length = 0;
  if (first == '\'' || first == '"' || first == '`') {
    length = quoted_length(text);
    kind = length == 0 ? Kind::kBroken : first == '`' ? Kind::kQuotedName : Kind::kString;
    if (length == 0) length = text.size();
  } else if (is_word_char(first)) {
    length = word_length(text);
    kind = is_digit(first) ? Kind::kNumber : Kind::kWord;
  } else {
    length = symbol_length(text);
  }
  const SqlToken token{.kind = kind, .text = text.substr(0, length)};
  text.remove_prefix(length);
  return token;
}

}  // namespace vstream
