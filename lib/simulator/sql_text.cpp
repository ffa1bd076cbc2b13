#include "simulator/sql_text.h"

#include <algorithm>

namespace vstream::simulator {
namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The piece from a quote to its partner (or the end), and how much text it takes.
std::string_view quoted_part(std::string_view text) {
  std::size_t end = text.find(text.front(), 1);
  return end == text.npos ? text : text.substr(0, end + 1);
}

}  // namespace

std::vector<std::string> sql_tokens(std::string_view statement) {
  std::vector<std::string> tokens;
  while (!statement.empty()) {
    char first = statement.front();
    std::string_view part;
    if (kSpace.find(first) != kSpace.npos) {
      statement.remove_prefix(1);
      continue;
    }
    if (first == '`' || first == '\'' || first == '"') {
      part = quoted_part(statement);
    } else if (first == ',' || first == ';') {
      part = statement.substr(0, 1);
    } else {
      part = statement.substr(0, statement.find_first_of(" \t\n\r\f\v,;`'\""));
    }
    statement.remove_prefix(part.size());
    if (first == '`') part = part.substr(1, part.size() > 1 && part.back() == '`' ? part.size() - 2 : part.npos);
    tokens.emplace_back(part);
  }
  while (!tokens.empty() && tokens.back() == ";") tokens.pop_back();
  return tokens;
}

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::optional<std::string> string_of(std::string_view token) {
  if (token.size() < 2 || (token.front() != '\'' && token.front() != '"') || token.back() != token.front()) {
    return std::nullopt;
  }
  return std::string(token.substr(1, token.size() - 2));
}

bool like(std::string_view text, std::string_view pattern) {
  // Greedy with one point to come back to: the last % and the text it has swallowed so far. O(text × pattern).
  std::size_t t = 0, p = 0, star = pattern.npos, swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() && (pattern[p] == '_' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('%', p) == pattern.npos;
}

}  // namespace vstream::simulator
