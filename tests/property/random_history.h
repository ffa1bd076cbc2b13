#pragma once

#include "history.h"
#include "random.h"

namespace vstream::property {

/// One to three shards; one to four tables, some of them empty, without a key, with a key of two columns or with an odd
/// name; per shard up to 40 transactions on up to three servers.
History random_history(Random& random);

}  // namespace vstream::property
