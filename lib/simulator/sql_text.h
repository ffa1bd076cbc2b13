#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// As much of SQL's surface as the simulator's few statements need.
namespace vstream::simulator {

/// A statement in pieces: words and `quoted names` (without their quotes), 'strings' (with them), and commas. "" ends
/// nowhere: an open quote takes the rest. A semicolon at the end falls away.
std::vector<std::string> sql_tokens(std::string_view statement);

/// Case-insensitive.
bool same_word(std::string_view a, std::string_view b);

/// The text of a 'string' token; none if it is something else.
std::optional<std::string> string_of(std::string_view token);

/// SQL's LIKE with % and _, case-sensitive, no escapes.
bool like(std::string_view text, std::string_view pattern);

}  // namespace vstream::simulator
