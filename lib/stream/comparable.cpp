#include "stream/comparable.h"

#include <algorithm>
#include <cctype>

namespace vstream {
namespace {

bool is_string(std::string_view literal) { return literal.starts_with('\'') || literal.starts_with('"'); }

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// '09:30:00', '-120:00:00.5': as tablets print them.
bool is_written_out_time(std::string_view literal) {
  if (!is_string(literal) || literal.size() < 2) return false;
  std::string_view text = literal.substr(1, literal.size() - 2);
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t hours = text.find(':');
  if (hours != 2 && hours != 3) return false;
  text = text.substr(0, text.find('.'));
  const std::string_view rest = text.substr(hours);
  return rest.size() == 6 && rest[3] == ':' && std::ranges::all_of(text.substr(0, hours), is_digit) &&
         is_digit(rest[1]) && is_digit(rest[2]) && is_digit(rest[4]) && is_digit(rest[5]);
}

}  // namespace

bool depends_on_collation(std::string_view literal) {
  return std::ranges::any_of(literal, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string_view why_not_comparable(query::Type type, std::string_view collation, std::string_view literal) {
  if (type == query::BIT) return "tablets find no BIT equal to anything";
  if ((type == query::ENUM || type == query::SET) && !is_string(literal)) {
    return "tablets compare ENUM and SET with labels only, not with numbers";
  }
  if (type == query::TIME && !is_written_out_time(literal)) {
    return "tablets compare times as texts: write hours, minutes and seconds, as in '09:30:00'";
  }
  if (depends_on_collation(literal) && !collation.empty() && !collation.starts_with("utf8")) {
    return "tablets do not translate it to the column's character set";
  }
  return "";
}

}  // namespace vstream
