#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// The keyspace ids that a shard holds: `start` ≤ id < `end`, compared as bytes. A value.
///
/// Both ends are stored without trailing zero bytes: "80-" and "8000-" are the same range
/// (go/vt/key/key.go, Normalize). An empty `start` is the lowest id; an empty `end` lies behind the highest.
struct KeyRange {
  std::string start;
  std::string end;

  /// Reads a shard's name: "-80", "40-80", "80-", "-". A name without a dash ("0") holds every id, as in Vitess.
  /// Errors: kInvalidPosition, naming the shard.
  static Result<KeyRange> parse(std::string_view shard);

  /// "-80", "40-80", "80-", "-"; lower case.
  std::string to_string() const;

  /// True if a keyspace id can be in both.
  bool intersects(const KeyRange& other) const;

  /// The ids that are in both, if there are any.
  std::optional<KeyRange> intersection(const KeyRange& other) const;

  /// By start, then by end.
  friend std::strong_ordering operator<=>(const KeyRange& a, const KeyRange& b);
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

}  // namespace vstream
