#include "stream/assembler.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "stream/ddl_table.h"

namespace vstream {
namespace {

std::unexpected<Error> undecodable(const EventView& event, std::string_view what) {
  Error error{.code = ErrorCode::kDecode,
              .message = fmt::format("cannot decode {} from shard \"{}/{}\"", what, event.keyspace, event.shard),
              .hint = "the bytes are not what VTGate sends; nothing of the transaction was printed",
              .keyspace = std::string(event.keyspace),
              .shard = std::string(event.shard)};
  return std::unexpected(std::move(error));
}

std::unexpected<Error> statement_instead_of_rows() {
  return fail(ErrorCode::kDecode, "cannot tell a change of rows: the binlog holds its statement only",
              "set binlog_format=ROW on the source; nothing of the transaction was printed");
}

Error with_place(Error error, const EventView& event) {
  if (error.keyspace.empty()) {
    error.keyspace = event.keyspace;
    error.shard = event.shard;
  }
  if (error.code == ErrorCode::kDecode) {
    error.message += fmt::format(" (shard \"{}/{}\", GTID {})", event.keyspace, event.shard,
                                 event.event_gtid.empty() ? "unknown" : event.event_gtid);
  }
  return error;
}

LineOrigin origin_of(const EventView& event) {
  return {.keyspace = event.keyspace, .shard = event.shard, .timestamp = event.timestamp, .gtid = event.event_gtid};
}

}  // namespace

struct Assembler::TableState {
  Table table;
  bool wanted = true;
  // The `fields` line of these columns: printed for good, or written in the transaction with this number.
  bool announced = false;
  std::uint64_t announced_in = 0;
  // Changes counted in the transaction with this number.
  std::uint64_t transaction = 0;
  std::uint64_t changes = 0;
};

/// What is known of one shard's stream.
struct Assembler::ShardStream {
  ShardStream(TransactionMemory& memory, std::string_view its_keyspace, std::string_view its_shard)
      : keyspace(its_keyspace), shard(its_shard), lines(memory, keyspace, shard) {}

  std::string keyspace;
  std::string shard;
  std::map<std::string, TableState, std::less<>> tables;  // by the name on the wire
  TableState* last_table = nullptr;
  std::string_view last_table_name;  // a key of `tables`

  // The transaction that is not finished.
  bool open = false;
  bool open_in_binlog = false;  // and it has a time: no copy
  std::uint64_t transaction = 1;
  TransactionLines lines;
  std::uint64_t rows = 0;
  std::string gtid;
  std::vector<CopyCursor> cursors;
  std::vector<TableState*> newly_announced;
  std::optional<Journal> journal;
  bool journal_is_of_shards = false;
  std::uint64_t heard_in = 0;  // the number of the last response that named it

  void discard() {
    lines.clear();
    rows = 0;
    gtid.clear();
    cursors.clear();
    newly_announced.clear();
    journal.reset();
    open = open_in_binlog = false;
    ++transaction;
  }

  void announce(TableState& state, EventWriter& writer) {
    if (state.announced || state.announced_in == transaction) return;
    writer.fields(lines.buffer(), state.table);
    state.announced_in = transaction;
    newly_announced.push_back(&state);
  }

  TableState* find_table(std::string_view name) {
    if (last_table != nullptr && last_table_name == name) return last_table;
    const auto found = tables.find(name);
    if (found == tables.end()) return nullptr;
    last_table = &found->second;
    last_table_name = found->first;
    return last_table;
  }
};

Assembler::Assembler(AssemblerOptions options)
    : options_(std::move(options)),
      own_writer_({.partial = options_.partial_images}),
      writer_(options_.writer != nullptr ? *options_.writer : own_writer_),
      reshards_(options_.reshards != nullptr ? *options_.reshards : own_reshards_) {}
Assembler::~Assembler() = default;

Result<bool> Assembler::consume(std::string_view response, const UnitHandler& handler) {
  ++responses_;
  ResponseReader events(response);
  EventView event;
  while (events.next(event)) {
    auto more = handle(event, handler);
    if (!more) return std::unexpected(with_place(std::move(more.error()), event));
    if (!*more) return false;
  }
  if (!events.ok()) return undecodable(event, "a response");
  return true;
}

Result<Assembler::ShardStream*> Assembler::shard_of(const EventView& event) {
  if (last_shard_ != nullptr && last_shard_->shard == event.shard && last_shard_->keyspace == event.keyspace) {
    return last_shard_;
  }
  std::pair<std::string, std::string> key(event.keyspace, event.shard);
  auto found = shards_.find(key);
  if (found == shards_.end()) {
    if (shards_.size() >= kMaxListed) return undecodable(event, "more shards than a cluster can have");
    TransactionMemory& memory = options_.memory != nullptr ? *options_.memory : own_memory_;
    auto shard = std::make_unique<ShardStream>(memory, event.keyspace, event.shard);
    found = shards_.emplace(std::move(key), std::move(shard)).first;
  }
  last_shard_ = found->second.get();
  return last_shard_;
}

Result<bool> Assembler::handle(const EventView& event, const UnitHandler& handler) {
  constexpr std::int64_t kMaxSeconds = std::numeric_limits<std::int64_t>::max() / 1000;
  if (event.timestamp < 0 || event.timestamp > kMaxSeconds) return undecodable(event, "a timestamp");
  if (event.type == EventType::kHeartbeat) return heartbeat(event, handler);
  if (event.type == EventType::kCopyCompleted) return copy_completed(event, handler);
  const auto found = shard_of(event);
  if (!found) return std::unexpected(found.error());
  ShardStream& shard = **found;
  if (options_.observer != nullptr && shard.heard_in != responses_) {
    shard.heard_in = responses_;
    options_.observer->shard_heard(shard.shard);
  }
  Result<void> done = {};
  switch (event.type) {
    case EventType::kBegin: done = begin(shard, event); break;
    case EventType::kField: done = field(shard, event); break;
    case EventType::kRow: done = row(shard, event); break;
    case EventType::kVgtid: done = vgtid(shard, event); break;
    case EventType::kJournal: done = journal(shard, event); break;
    case EventType::kRollback:
      shard.lines.clear();
      shard.rows = 0;
      shard.newly_announced.clear();
      return finish(shard, event, handler);
    case EventType::kDdl:
      if (options_.observer != nullptr) options_.observer->schema_changed();
      if (options_.emit.has(Line::kDdl) && wants_ddl(shard, event.statement))
        writer_.ddl(shard.lines.buffer(), origin_of(event), event.statement);
      return finish(shard, event, handler);
    case EventType::kOther:
      if (options_.emit.has(Line::kOther)) writer_.other(shard.lines.buffer(), origin_of(event));
      return finish(shard, event, handler);
    case EventType::kCommit:
      if (options_.emit.has(Line::kCommit)) writer_.commit(shard.lines.buffer(), origin_of(event), shard.rows);
      return finish(shard, event, handler);
    case EventType::kInsert:
    case EventType::kReplace:
    case EventType::kUpdate:
    case EventType::kDelete: return statement_instead_of_rows();
    default: break;  // VERSION, ROWS_QUERY and what newer servers may send
  }
  if (!done) return std::unexpected(std::move(done.error()));
  return true;
}

// A filter that is wider than what is selected brings statements about tables that are left out.
bool Assembler::wants_ddl(const ShardStream& shard, std::string_view statement) const {
  if (!options_.wants) return true;
  const auto table = ddl_table(statement);
  return !table || options_.wants(shard.shard, *table);
}

Result<void> Assembler::begin(ShardStream& shard, const EventView& event) {
  if (shard.open) shard.discard();
  shard.open = true;
  shard.lines.set_gtid(event.event_gtid);
  shard.open_in_binlog = event.timestamp != 0;
  if (options_.emit.has(Line::kBegin)) writer_.begin(shard.lines.buffer(), origin_of(event));
  return {};
}

Result<void> Assembler::field(ShardStream& shard, const EventView& event) {
  FieldEventView fields;
  if (!event.field_event.present() || !decode_field_event(event.field_event.view(), fields)) {
    return undecodable(event, "a FIELD event");
  }
  auto table = make_table(fields, options_.forms);
  if (!table) return std::unexpected(std::move(table.error()));
  if (shard.tables.size() >= kMaxListed && !shard.tables.contains(fields.table_name)) {
    return undecodable(event, "more tables than a shard can have");
  }
  TableState& state = shard.tables[std::string(fields.table_name)];
  table->may_miss_columns = state.table.may_miss_columns ||
                            (options_.may_miss_columns && options_.may_miss_columns(shard.shard, table->name));
  if (!same_columns(state.table, *table)) {
    state.announced = false;
    state.announced_in = 0;
  }
  state.table = *std::move(table);
  state.table.is_projected = options_.projects && options_.projects(state.table.name);
  state.wanted = !state.table.is_internal && (!options_.wants || options_.wants(shard.shard, state.table.name));
  if (options_.observer == nullptr) return {};
  if (state.wanted) {
    if (auto known = options_.observer->columns_came(state.table); !known) return known;
  }
  const bool copies = event.timestamp == 0 && event.event_gtid.empty();
  if (!copies) return {};
  return options_.observer->copy_begins(shard.shard, state.table.name, fields);
}

Result<void> Assembler::row(ShardStream& shard, const EventView& event) {
  if (!event.row_event.present()) return undecodable(event, "a ROW event");
  RowEventReader rows(event.row_event.view());
  if (!rows.ok()) return undecodable(event, "a ROW event");
  TableState* const table = shard.find_table(rows.table_name());
  if (table == nullptr) {
    return undecodable(event,
                       fmt::format("a row of table \"{}\", whose columns were not announced,", rows.table_name()));
  }
  if (table->table.is_internal && options_.observer != nullptr) options_.observer->keyspace_heartbeat(shard.shard);
  return table->wanted ? write_changes(shard, *table, rows, event) : Result<void>();
}

std::string_view Assembler::open_shard() const {
  for (const auto& [key, shard] : shards_) {
    if (shard->open_in_binlog) return shard->shard;
  }
  return "";
}

std::set<std::pair<std::string, std::string>> Assembler::partial_tables() const {
  std::set<std::pair<std::string, std::string>> partial;
  for (const auto& [key, shard] : shards_) {
    for (const auto& [name, state] : shard->tables) {
      if (state.table.may_miss_columns) partial.emplace(shard->shard, state.table.name);
    }
  }
  return partial;
}

Result<void> Assembler::write_changes(ShardStream& shard, TableState& table, RowEventReader& rows,
                                      const EventView& event) {
  if (table.transaction != shard.transaction) {
    table.transaction = shard.transaction;
    table.changes = 0;
  }
  if (options_.emit.has(Line::kFields)) shard.announce(table, writer_);
  RowContext context{.timestamp = event.timestamp, .gtid = event.event_gtid, .n = 0};
  Buffer& out = options_.emit.has(Line::kRow) ? shard.lines.buffer() : scratch_;
  while (rows.next(change_)) {
    context.n = table.changes++;
    if (!options_.ops.has(op_of(change_, context))) continue;
    if (auto written = writer_.row(out, table.table, change_, context); !written) return written;
    if (auto settled = shard.lines.settle(); !settled) return settled;
    ++shard.rows;
    scratch_.clear();
  }
  return rows.ok() ? Result<void>() : undecodable(event, "a ROW event");
}

Result<void> Assembler::vgtid(ShardStream& shard, const EventView& event) {
  if (!event.vgtid.present()) return undecodable(event, "a VGTID event");
  VgtidReader vgtid(event.vgtid.view());
  ShardGtidView entry;
  while (vgtid.next(entry)) {
    // A VGTID lists all shards, but has moved only the one that its event names.
    if (entry.shard != event.shard || entry.keyspace != event.keyspace) continue;
    shard.gtid = entry.gtid;
    shard.cursors.clear();
    for (const std::string_view bytes : entry.table_p_ks) {
      CopyCursor& cursor = shard.cursors.emplace_back();
      if (!decode_table_last_pk(bytes, cursor.table)) return undecodable(event, "a copy cursor");
      cursor.bytes = bytes;
    }
  }
  return vgtid.ok() ? Result<void>() : undecodable(event, "a VGTID event");
}

Result<void> Assembler::journal(ShardStream& shard, const EventView& event) {
  JournalView view;
  if (!event.journal.present() || !decode_journal(event.journal.view(), view)) {
    return undecodable(event, "a JOURNAL event");
  }
  shard.journal = to_journal(view);
  shard.journal_is_of_shards = view.migration_type == 1;
  if (options_.emit.has(Line::kJournal)) writer_.journal(shard.lines.buffer(), origin_of(event), *shard.journal);
  return shard.lines.settle();
}

// A journal counts when its transaction is finished: a stream that breaks before brings it again.
Result<bool> Assembler::finish_journal(ShardStream& shard) {
  if (!reshards_.journaled(*shard.journal, shard.keyspace, shard.shard)) return false;
  if (!options_.emit.has(Line::kReshard)) return true;
  auto written = writer_.reshard(shard.lines.buffer(), *shard.journal, shard.journal_is_of_shards);
  if (!written) return std::unexpected(std::move(written.error()));
  return true;
}

Result<bool> Assembler::finish(ShardStream& shard, const EventView& event, const UnitHandler& handler) {
  Result<bool> resharded = false;
  if (shard.journal) resharded = finish_journal(shard);
  if (!resharded) return resharded;
  const Unit unit{.keyspace = event.keyspace,
                  .shard = event.shard,
                  .lines = UnitLines(shard.lines),
                  .rows = shard.rows,
                  .gtid = shard.gtid,
                  .cursors = &shard.cursors,
                  .transaction = event.event_gtid,
                  .journal = shard.journal ? &*shard.journal : nullptr,
                  .resharded = *resharded};
  auto more = handler(unit);
  if (!options_.fields_in_every_unit) {
    for (TableState* const table : shard.newly_announced) table->announced |= table->announced_in == shard.transaction;
  }
  shard.discard();
  return more;
}

Result<bool> Assembler::copy_completed(const EventView& event, const UnitHandler& handler) {
  return handler({.kind = Unit::Kind::kCopyCompleted, .keyspace = event.keyspace, .shard = event.shard});
}

Result<bool> Assembler::heartbeat(const EventView& event, const UnitHandler& handler) {
  if (!options_.emit.has(Line::kHeartbeat)) return true;
  scratch_.clear();
  writer_.heartbeat(scratch_, event.timestamp);
  return handler({.lines = scratch_.view()});
}

}  // namespace vstream
