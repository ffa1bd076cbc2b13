#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// The fields of VTGate's VStreamFlags (proto/vtgate.proto) that are for the user to choose; vstream sets the others
/// itself. A server that is too old for a flag ignores it without a word.
struct StreamFlags {
  std::string cells = {};            ///< comma list of cells and aliases; empty: VTGate's own cell
  std::string cell_preference = {};  ///< preferlocalwithalias (VTGate's default) or onlyspecified
  std::string tablet_order = {};     ///< any (VTGate's default) or inorder
  bool minimize_skew = false;        ///< lets fast shards wait for slow ones; stalls with three shards (seen on 24.0.4)
  std::int64_t transaction_chunk_size = 0;   ///< bytes, 0: off; from Vitess 24 on
  std::uint32_t max_stream_age_seconds = 0;  ///< 0: no limit; from Vitess 25 on
  /// Seconds. For StreamOptions only, and only where StreamTimeouts::heartbeat_interval says nothing: that one beats
  /// the flag, whatever was set last. 0: 1 s.
  std::uint32_t heartbeat_interval = 0;

  /// Sets one by the name it has in Vitess. Errors: kUsage for a name that is none, that has an option of its own or is
  /// vstream's to set, and for a value that is not of its type.
  Result<void> set(std::string_view name, std::string_view value);
  /// Errors: kUsage for what does not fit together. `liveness` zero: a stream that hangs is not noticed.
  Result<void> check(std::chrono::milliseconds liveness) const;
};

}  // namespace vstream
