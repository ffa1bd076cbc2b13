#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "position/gtid_set.h"
#include "vstream/error.h"

namespace vstream {

/// Where one shard's stream stands: "Flavor/set". A value.
///
/// MySQL56 sets are parsed and compared. MariaDB and FilePos positions are carried along as they are.
struct Position {
  std::string flavor;  ///< MySQL56, MariaDB or FilePos
  GtidSet set;         ///< the set, if the flavor is MySQL56
  std::string other;   ///< the text after the slash, for the other flavors

  /// Reads a position with its flavor. "MySQL56/" is the position before every transaction. `offset` as in
  /// GtidSet::parse.
  /// Errors: kInvalidPosition, naming the part that is wrong and its byte offset.
  static Result<Position> parse(std::string_view text, std::size_t offset = 0);

  /// The canonical text: what VTGate is sent.
  std::string to_string() const;

  friend bool operator==(const Position&, const Position&) = default;
};

}  // namespace vstream
