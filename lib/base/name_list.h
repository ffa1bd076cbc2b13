#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vstream {

/// The name that somebody who typed `typed` may have meant: the nearest one, if it is near. Empty: none is.
std::string_view nearest_name(std::string_view typed, const std::vector<std::string>& names);

/// For a hint: `did you mean "orders"?`, else `its tables: "a", "b"`, or how many there are if they are many.
/// `what` is "its tables".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names, std::string_view what);

}  // namespace vstream
