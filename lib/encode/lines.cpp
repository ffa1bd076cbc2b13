#include "encode/lines.h"

#include <string>

#include "encode/charset.h"
#include "encode/json_string.h"
#include "encode/number.h"

namespace vstream {
namespace {

void append_field(Buffer& out, std::string_view key, std::string_view text) {
  out.append(key);
  append_json_string(out, text);
}

void append_number_field(Buffer& out, std::string_view key, std::int64_t number) {
  out.append(key);
  append_number(out, number);
}

void append_place(Buffer& out, const LineOrigin& origin) {
  append_field(out, R"(,"keyspace":)", origin.keyspace);
  append_field(out, R"(,"shard":)", origin.shard);
}

void append_time(Buffer& out, const LineOrigin& origin) {
  if (origin.timestamp != 0) append_number_field(out, R"(,"ts_ms":)", origin.timestamp * 1000);
}

void append_gtid(Buffer& out, const LineOrigin& origin) {
  if (!origin.gtid.empty()) append_field(out, R"(,"gtid":)", origin.gtid);
}

void append_origin(Buffer& out, std::string_view head, const LineOrigin& origin) {
  out.append(head);
  append_place(out, origin);
  append_time(out, origin);
  append_gtid(out, origin);
}

// `[item,item]`, each written by `write`.
template <typename Items, typename Write>
void append_array(Buffer& out, std::string_view key, const Items& items, Write write) {
  out.append(key);
  out.push('[');
  bool first = true;
  for (const auto& item : items) {
    if (!first) out.push(',');
    first = false;
    write(item);
  }
  out.push(']');
}

void append_shards(Buffer& out, const Journal& journal) {
  append_array(out, R"(,"participants":)", journal.participants,
               [&](const Participant& participant) { append_json_string(out, participant.shard); });
  append_array(out, R"(,"shards":)", journal.shards, [&](const ShardPosition& shard) {
    append_field(out, R"({"shard":)", shard.shard);
    append_field(out, R"(,"gtid":)", shard.gtid);
    out.push('}');
  });
}

}  // namespace

void append_ddl_line(Buffer& out, const LineOrigin& origin, std::string_view statement) {
  append_origin(out, R"({"type":"ddl")", origin);
  out.append(R"(,"statement":)");
  append_text(out, statement, Charset::kUtf8);
  out.append("}\n");
}

void append_begin_line(Buffer& out, const LineOrigin& origin) {
  append_origin(out, R"({"type":"begin")", origin);
  out.append("}\n");
}

void append_commit_line(Buffer& out, const LineOrigin& origin, std::uint64_t rows) {
  append_origin(out, R"({"type":"commit")", origin);
  append_number_field(out, R"(,"rows":)", static_cast<std::int64_t>(rows));
  out.append("}\n");
}

void append_other_line(Buffer& out, const LineOrigin& origin) {
  out.append(R"({"type":"other")");
  append_place(out, origin);
  append_gtid(out, origin);
  out.append("}\n");
}

void append_heartbeat_line(Buffer& out, std::int64_t timestamp) {
  append_number_field(out, R"({"type":"heartbeat","ts_ms":)", timestamp * 1000);
  out.append("}\n");
}

void append_fields_line(Buffer& out, const Table& table) {
  out.append(R"({"type":"fields")");
  out.append(table.head);
  append_array(out, R"(,"columns":)", table.columns, [&](const Column& column) {
    append_field(out, R"({"name":)", column.name);
    append_field(out, R"(,"type":)", column.type_name);
    append_field(out, R"(,"column_type":)", column.column_type);
    out.append(column.primary_key ? R"(,"pk":true})" : R"(,"pk":false})");
  });
  out.append("}\n");
}

void append_copy_completed_line(Buffer& out, std::string_view keyspace, std::string_view shard) {
  out.append(R"({"type":"copy_completed")");
  if (!keyspace.empty()) append_place(out, {.keyspace = keyspace, .shard = shard});
  out.append("}\n");
}

void append_copy_restarted_line(Buffer& out, std::string_view keyspace, std::string_view shard,
                                std::string_view table) {
  out.append(R"({"type":"copy_restarted")");
  append_place(out, {.keyspace = keyspace, .shard = shard});
  append_field(out, R"(,"table":)", table);
  out.append("}\n");
}

void append_skipped_line(Buffer& out, std::string_view keyspace, std::string_view shard, std::string_view gtid) {
  const LineOrigin origin{.keyspace = keyspace, .shard = shard, .gtid = gtid};
  append_origin(out, R"({"type":"skipped")", origin);
  out.append("}\n");
}

void append_journal_line(Buffer& out, const LineOrigin& origin, const Journal& journal) {
  out.append(R"({"type":"journal")");
  append_place(out, origin);
  append_time(out, origin);
  append_number_field(out, R"(,"id":)", journal.id);
  append_shards(out, journal);
  out.append("}\n");
}

void append_reshard_line(Buffer& out, const Journal& journal, bool whole_shards,
                         const std::vector<ShardLineage>& lineage) {
  const std::string_view keyspace =
      journal.participants.empty() ? std::string_view() : std::string_view(journal.participants.front().keyspace);
  append_field(out, R"({"type":"reshard","keyspace":)", keyspace);
  append_number_field(out, R"(,"id":)", journal.id);
  out.append(whole_shards ? R"(,"migration":"shards")" : R"(,"migration":"tables")");
  append_shards(out, journal);
  append_array(out, R"(,"lineage":)", lineage, [&](const ShardLineage& shard) {
    append_field(out, R"({"shard":)", shard.shard);
    append_array(out, R"(,"from":)", shard.from, [&](const LineagePart& part) {
      append_field(out, R"({"shard":)", part.shard);
      append_field(out, R"(,"range":)", part.range);
      out.push('}');
    });
    out.push('}');
  });
  out.append("}\n");
}

void append_end_line(Buffer& out, std::string_view reason, std::uint64_t rows, const Vgtid& vgtid) {
  append_field(out, R"({"type":"end","reason":)", reason);
  append_number_field(out, R"(,"rows":)", static_cast<std::int64_t>(rows));
  out.append(R"(,"vgtid":)");
  out.append(vgtid_to_json(vgtid));
  out.append("}\n");
}

}  // namespace vstream
