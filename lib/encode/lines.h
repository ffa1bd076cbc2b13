#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "encode/buffer.h"
#include "encode/table.h"
#include "position/reshard.h"
#include "vstream/position.h"

/// The native lines that are not rows. Each function appends one line with its line break; key order is part of the
/// format. Texts must be valid UTF-8, but for statements, where anything else becomes U+FFFD.
namespace vstream {

/// Where and when something happened. A zero timestamp and an empty gtid are left out.
struct LineOrigin {
  std::string_view keyspace = {};
  std::string_view shard = {};
  std::int64_t timestamp = 0;  ///< seconds
  std::string_view gtid = {};
};

void append_ddl_line(Buffer& out, const LineOrigin& origin, std::string_view statement);
void append_begin_line(Buffer& out, const LineOrigin& origin);
void append_commit_line(Buffer& out, const LineOrigin& origin, std::uint64_t rows);
void append_other_line(Buffer& out, const LineOrigin& origin);
void append_heartbeat_line(Buffer& out, std::int64_t timestamp);
void append_fields_line(Buffer& out, const Table& table);
/// Both empty: the copy of all shards is complete. Only `shard` empty never occurs.
void append_copy_completed_line(Buffer& out, std::string_view keyspace, std::string_view shard);
/// What came of that table from that shard is copied anew, and must be dropped.
void append_copy_restarted_line(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view table);
/// `gtid`: of a transaction that was stepped over.
void append_skipped_line(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid);
void append_journal_line(Buffer& out, const LineOrigin& origin, const Journal& journal);
/// `lineage` is what position/reshard.h makes of the journal.
void append_reshard_line(Buffer& out, const Journal& journal, bool whole_shards,
                         const std::vector<ShardLineage>& lineage);
void append_end_line(Buffer& out, std::string_view reason, std::uint64_t rows, const Vgtid& vgtid);

}  // namespace vstream
