#pragma once

#include <string>

#include "binlogdata.pb.h"

namespace vstream::reference {

/// The line of a reshard: `{"type":"reshard",…}`. Shards, old and new, in the order of their key ranges.
std::string reshard_line(const binlogdata::Journal& journal, const std::string& keyspace);

}  // namespace vstream::reference
