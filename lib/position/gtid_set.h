#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vstream/error.h"

namespace vstream {

/// The UUID of a MySQL server. Ordered by its bytes, as Vitess prints sets.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  /// Reads exactly 36 characters with dashes, hexadecimal digits in either case; nothing else is a UUID.
  static std::optional<Uuid> parse(std::string_view text);
  /// 36 characters, lower case.
  std::string to_string() const;

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

/// The transactions `first` to `last` of one server, both included: 1 ≤ first ≤ last < 2^63.
struct Interval {
  std::int64_t first = 1;
  std::int64_t last = 1;

  friend auto operator<=>(const Interval&, const Interval&) = default;
};

/// The transactions of one server: at least one interval, sorted, neither touching nor overlapping.
struct ServerIntervals {
  Uuid server;
  std::vector<Interval> intervals;

  friend bool operator==(const ServerIntervals&, const ServerIntervals&) = default;
};

/// A set of MySQL GTIDs: what a shard's position says after "MySQL56/".
///
/// A value, always in its canonical form, so two equal sets are equal member by member and print the same text. Not
/// synchronised. Parsing is as strict as VTGate (go/mysql/replication/mysql56_gtid_set.go) or stricter, and joins what
/// VTGate leaves apart: "1-5:6-10" is "1-10".
class GtidSet {
 public:
  /// Reads "3e11fa47-…:1-5:9,…"; "" is the empty set. White space around the parts between commas and empty
  /// parts are ignored, as VTGate ignores them; an interval that ends before it starts is refused (VTGate drops it).
  /// Takes O(n log n) time and O(n) memory. `offset` is added to the byte offsets in errors: where `text` begins in
  /// what the user wrote. Errors: kInvalidPosition, naming the part that is wrong and where it is; tagged GTIDs
  /// (uuid:tag:1-5, MySQL 8.3) are refused, because Vitess does not parse them.
  static Result<GtidSet> parse(std::string_view text, std::size_t offset = 0);

  /// UUIDs in lower case sorted by bytes, intervals by start, an interval of one as its number.
  std::string to_string() const;

  /// True if every transaction of `other` is in this set. Of two sets neither may contain the other. O(intervals).
  bool contains(const GtidSet& other) const;

  /// Adds one transaction, `number` ≥ 1.
  void add(const Uuid& server, std::int64_t number);

  /// Adds all transactions of `other`. O(intervals of both).
  void merge(const GtidSet& other);

  /// The transactions that are in this set and not in `other`. O(intervals of both).
  GtidSet without(const GtidSet& other) const;

  bool empty() const { return servers_.empty(); }

  /// The set, sorted by server.
  const std::vector<ServerIntervals>& servers() const { return servers_; }

  friend bool operator==(const GtidSet&, const GtidSet&) = default;

 private:
  std::vector<ServerIntervals> servers_;
};

}  // namespace vstream
