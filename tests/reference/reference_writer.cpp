#include "reference_writer.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "lineage.h"
#include "rows.h"
#include "text.h"

namespace vstream::reference {
namespace {

using Outcome = std::expected<void, std::string>;
using ShardName = std::pair<std::string, std::string>;  // keyspace, shard

std::string member(const char* key, const std::string& text) {
  return ",\"" + std::string(key) + "\":" + json_string(text);
}

std::string optional_member(const char* key, const std::string& text) { return text.empty() ? "" : member(key, text); }

std::string time_member(const binlogdata::VEvent& event) {
  return event.timestamp() == 0 ? "" : ",\"ts_ms\":" + std::to_string(event.timestamp()) + "000";
}

/// The name without the exact prefix "keyspace."; table names can have dots, too.
std::string bare(const std::string& table, const std::string& keyspace) {
  const std::string prefix = keyspace + ".";
  return table.starts_with(prefix) ? table.substr(prefix.size()) : table;
}

class Writer {
 public:
  explicit Writer(Options options) : options_(options) {}

  Outcome take(const binlogdata::VEvent& event);
  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  struct Transaction {
    std::vector<std::string> lines;
    std::map<std::string, int> changes;  // by table: how many so far
    std::vector<binlogdata::Journal> journals;
  };

  void take_field(const binlogdata::VEvent& event);
  Outcome take_row(const binlogdata::VEvent& event);
  void take_journal(const binlogdata::Journal& journal, const ShardName& shard);
  void finish(const ShardName& shard);
  std::string row_line(const binlogdata::VEvent& event, const std::string& table, int n, const Change& change) const;

  Options options_;
  std::vector<std::string> lines_;
  std::map<ShardName, Transaction> open_;
  std::map<std::tuple<std::string, std::string, std::string>, Table> tables_;  // keyspace, shard, bare name
  std::map<std::int64_t, std::set<ShardName>> journaled_;                      // by journal: the shards that sent it
  std::set<std::int64_t> reported_;                                            // journals whose line is out
};

Outcome Writer::take(const binlogdata::VEvent& event) {
  const ShardName shard{event.keyspace(), event.shard()};
  switch (event.type()) {
    case binlogdata::BEGIN:
    case binlogdata::ROLLBACK: open_.erase(shard); break;
    case binlogdata::FIELD: take_field(event); break;
    case binlogdata::ROW: return take_row(event);
    case binlogdata::JOURNAL: open_[shard].journals.push_back(event.journal()); break;
    case binlogdata::COMMIT:
    case binlogdata::OTHER: finish(shard); break;
    case binlogdata::DDL:
      finish(shard);
      lines_.push_back("{\"type\":\"ddl\"" + member("keyspace", event.keyspace()) + member("shard", event.shard()) +
                       time_member(event) + optional_member("gtid", event.event_gtid()) +
                       member("statement", event.statement()) + "}");
      break;
    case binlogdata::COPY_COMPLETED:
      lines_.push_back("{\"type\":\"copy_completed\"" + optional_member("keyspace", event.keyspace()) +
                       optional_member("shard", event.shard()) + "}");
      break;
    default: break;
  }
  return {};
}

void Writer::take_field(const binlogdata::VEvent& event) {
  const binlogdata::FieldEvent& fields = event.field_event();
  Table& table = tables_[{event.keyspace(), event.shard(), bare(fields.table_name(), event.keyspace())}];
  table.fields.assign(fields.fields().begin(), fields.fields().end());
}

Outcome Writer::take_row(const binlogdata::VEvent& event) {
  const binlogdata::RowEvent& row = event.row_event();
  if (row.is_internal_table()) return {};
  const std::string name = bare(row.table_name(), event.keyspace());
  auto table = tables_.find({event.keyspace(), event.shard(), name});
  if (table == tables_.end()) return std::unexpected("a row of table \"" + name + "\" came before its fields");

  Transaction& transaction = open_[{event.keyspace(), event.shard()}];
  for (const binlogdata::RowChange& row_change : row.row_changes()) {
    const auto change = read_change(row_change, table->second, event.timestamp() == 0);
    if (!change) return std::unexpected("table \"" + name + "\": " + change.error());
    if (change->partial && !options_.partial_mark) {
      return std::unexpected("a row image of table \"" + name + "\" is partial");
    }
    transaction.lines.push_back(row_line(event, name, transaction.changes[name]++, *change));
  }
  return {};
}

std::string Writer::row_line(const binlogdata::VEvent& event, const std::string& table, int n,
                             const Change& change) const {
  const char* op = change.before && change.after ? "u" : change.before ? "d" : event.timestamp() == 0 ? "r" : "c";
  std::string line = "{\"type\":\"row\"" + member("op", op) + member("keyspace", event.keyspace()) +
                     member("shard", event.shard()) + member("table", table) + time_member(event) +
                     optional_member("gtid", event.event_gtid()) + ",\"n\":" + std::to_string(n);
  if (change.before) line += ",\"before\":" + *change.before;
  if (change.after) line += ",\"after\":" + *change.after;
  return line + change.lists + "}";
}

void Writer::take_journal(const binlogdata::Journal& journal, const ShardName& shard) {
  std::set<ShardName>& seen = journaled_[journal.id()];
  seen.insert(shard);
  const bool complete = std::ranges::all_of(journal.participants(), [&seen](const binlogdata::KeyspaceShard& old) {
    return seen.contains({old.keyspace(), old.shard()});
  });
  if (complete && reported_.insert(journal.id()).second) lines_.push_back(reshard_line(journal, shard.first));
}

void Writer::finish(const ShardName& shard) {
  const Transaction transaction = std::move(open_[shard]);
  open_.erase(shard);
  lines_.insert(lines_.end(), transaction.lines.begin(), transaction.lines.end());
  for (const binlogdata::Journal& journal : transaction.journals) take_journal(journal, shard);
}

}  // namespace

Lines reference_lines(const std::vector<vtgate::VStreamResponse>& responses, Options options) {
  Writer writer(options);
  for (const vtgate::VStreamResponse& response : responses) {
    for (const binlogdata::VEvent& event : response.events()) {
      Outcome taken = writer.take(event);
      if (!taken) return {std::move(writer).lines(), std::move(taken.error())};
    }
  }
  return {std::move(writer).lines()};
}

}  // namespace vstream::reference
