#pragma once

#include "vstream/log.h"
#include "vtgate/sql.h"
#include "vtgate/topology.h"

namespace vstream {

/// Asks the shard's primary, which writes the binlog, whether rows are logged whole: binlog_row_image is FULL and
/// binlog_row_value_options is empty. False when they are not, or when that could not be learned; then `log` is told
/// what follows from it.
bool logs_whole_rows(const SqlClient& sql, const KeyspaceShard& shard, const LogHook& log);

}  // namespace vstream
