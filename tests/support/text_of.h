#pragma once

#include <string>

#include "stream/transaction_lines.h"

namespace vstream::testing {

/// All lines of a unit, which were not read before.
inline std::string text_of(UnitLines lines) {
  std::string text;
  for (auto piece = lines.next(); piece && !piece->empty(); piece = lines.next()) text += *piece;
  return text;
}

}  // namespace vstream::testing
