#pragma once

#include <string>

/// Positions of one server.
namespace vstream::testing {

inline const std::string kUuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
/// The position after transaction `last`.
inline std::string at(int last) { return "MySQL56/" + kUuid + ":1-" + std::to_string(last); }

}  // namespace vstream::testing
