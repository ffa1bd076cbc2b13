#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// What to stream: `commerce`, `commerce.product`, `customer/-80`, `customer/-80.orders`. The table name is everything
/// after the first dot, so it may hold dots itself.
struct Selector {
  std::string keyspace;
  std::optional<std::string> shard;
  std::optional<std::string> table;

  /// Errors: kUsage, naming the selector and what is wrong with it.
  static Result<Selector> parse(std::string_view text);
  std::string to_string() const;

  friend bool operator==(const Selector&, const Selector&) = default;
};

}  // namespace vstream
