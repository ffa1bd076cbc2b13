#pragma once

#include "simulator/backend.h"
#include "vtgate.pb.h"

namespace vstream::simulator {

/// Answers the statements a client asks before it streams: SHOW VITESS_SHARDS [LIKE], SHOW VSCHEMA KEYSPACES, SHOW
/// VITESS_TABLETS, SHOW [FULL] TABLES [FROM], and SELECT of @@global.gtid_executed, gtid_purged, server_uuid,
/// binlog_row_image, binlog_row_value_options in any combination, the columns of a table by SELECT * FROM … LIMIT 0,
/// and columns' collations by SELECT … FROM information_schema.columns, of which it knows none. Columns and error texts
/// as VTGate 24.0.4 has them; all others are VARCHAR. As in VTGate an error is in the response; anything else is
/// INVALID_ARGUMENT naming the statement.
vtgate::ExecuteResponse answer_sql(const vtgate::ExecuteRequest& request, const Backend& backend);

}  // namespace vstream::simulator
