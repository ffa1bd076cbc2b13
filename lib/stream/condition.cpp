#include "stream/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "stream/sql_token.h"

namespace vstream {
namespace {

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text), rest_(text) { advance(); }

  Result<std::vector<Comparison>> read() {
    if (!is_valid_utf8(text_)) return wrong("it is not UTF-8");
    if (auto done = terms(0); !done) return std::unexpected(std::move(done.error()));
    if (token_.kind != SqlToken::Kind::kEnd) return unexpected_token();
    return std::move(comparisons_);
  }

 private:
  static constexpr int kDeepest = 50;

  std::unexpected<Error> wrong(std::string_view why) const {
    return fail(ErrorCode::kUsage, fmt::format("the condition \"{}\" is not possible: {}", text_, why),
                "tablets evaluate COLUMN = LITERAL (or != < <= > >=), IN (...), [NOT] BETWEEN, IS [NOT] NULL and "
                "in_keyrange('-80'), joined by AND");
  }
  std::unexpected<Error> unexpected_token() const {
    if (token_.kind == SqlToken::Kind::kEnd) return wrong("it ends too early");
    if (token_.kind == SqlToken::Kind::kBroken) return wrong("a quote is not closed");
    return wrong(fmt::format("\"{}\" stands where nothing of that kind can", token_.text));
  }
  void advance() { token_ = next_sql_token(rest_); }
  bool take(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view upper) {
    if (!token_.is_word(upper)) return false;
    advance();
    return true;
  }

  Result<void> terms(int depth) {
    do {
      auto done = term(depth);
      if (!done) return done;
    } while (take_word("AND") || take("&&"));
    return {};
  }

  Result<void> term(int depth) {
    if (!token_.is("(")) return predicate();
    if (depth == kDeepest) return wrong("its parentheses are too deep");
    advance();
    if (auto inner = terms(depth + 1); !inner) return inner;
    return take(")") ? Result<void>() : unexpected_token();
  }

  Result<void> predicate() {
    const SqlToken name = token_;
    if (name.is_word("NOT")) return unexpected_token();
    if (name.kind != SqlToken::Kind::kWord && name.kind != SqlToken::Kind::kQuotedName) return unexpected_token();
    advance();
    if (token_.is("(")) return function(name);
    if (token_.is(".")) return wrong("a column is named without its table");
    comparisons_.push_back({.column = name.name()});
    constexpr std::array<std::string_view, 7> kComparisons = {"=", "!=", "<>", "<", "<=", ">", ">="};
    for (const std::string_view symbol : kComparisons) {
      if (take(symbol)) return literal();
    }
    if (take_word("IS")) {
      take_word("NOT");
      return take_word("NULL") ? Result<void>() : unexpected_token();
    }
    if (take_word("IN")) return list();
    if (take_word("NOT") && !token_.is_word("BETWEEN"))
      return wrong(fmt::format("NOT {} is none of them", token_.text));
    if (take_word("BETWEEN")) {
      auto from = literal();
      if (!from) return from;
      return take_word("AND") ? literal() : unexpected_token();
    }
    return unexpected_token();
  }

  Result<void> list() {
    if (!take("(")) return unexpected_token();
    do {
      auto value = literal(true);
      if (!value) return value;
    } while (take(","));
    return take(")") ? Result<void>() : unexpected_token();
  }

  // in_keyrange('-80'), in_keyrange(id, 'hash', '-80')
  Result<void> function(const SqlToken& name) {
    if (!name.is_word("IN_KEYRANGE")) return wrong(fmt::format("{}() is a function", name.text));
    advance();
    do {
      const SqlToken argument = token_;
      advance();
      if (argument.kind == SqlToken::Kind::kWord || argument.kind == SqlToken::Kind::kQuotedName) {
        comparisons_.push_back({.column = argument.name()});
      } else if (argument.kind != SqlToken::Kind::kString) {
        return wrong("in_keyrange() takes columns and strings");
      }
    } while (take(","));
    return take(")") ? Result<void>() : unexpected_token();
  }

  // Tablets take a sign in a list only (seen on 24.0.4).
  Result<void> literal(bool in_list = false) {
    if (token_.is_word("NULL")) return wrong("nothing equals NULL; say IS NULL");
    const bool prefixed = token_.kind == SqlToken::Kind::kWord && rest_.find_first_not_of(' ') != rest_.npos &&
                          rest_[rest_.find_first_not_of(' ')] == '\'';
    if (prefixed) {
      constexpr std::array<std::string_view, 6> kPrefixes = {"DATE", "TIME", "TIMESTAMP", "X", "B", "N"};
      if (std::ranges::none_of(kPrefixes, [&](std::string_view word) { return token_.is_word(word); })) {
        return unexpected_token();
      }
      advance();
    } else if (token_.is("-") && !in_list) {
      return wrong("a negative number cannot stand alone; say IN (-5)");
    } else {
      take("-");
    }
    if (token_.kind != SqlToken::Kind::kNumber && token_.kind != SqlToken::Kind::kString) return unexpected_token();
    comparisons_.back().literals.emplace_back(token_.text);
    advance();
    return {};
  }

  std::string_view text_;
  std::string_view rest_;
  SqlToken token_;
  std::vector<Comparison> comparisons_;
};

}  // namespace

bool same_column(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Result<std::vector<Comparison>> read_condition(std::string_view text) { return ConditionReader(text).read(); }

}  // namespace vstream
