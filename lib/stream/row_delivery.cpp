#include "stream/row_delivery.h"

#include <algorithm>
#include <utility>

namespace vstream {
namespace {

std::optional<std::chrono::sys_seconds> time_of(std::int64_t timestamp) {
  if (timestamp == 0) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(timestamp));
}

StreamEvent event_of(const LineOrigin& origin) {
  return {.keyspace = origin.keyspace,
          .shard = origin.shard,
          .gtid = origin.gtid,
          .committed_at = time_of(origin.timestamp)};
}

std::unexpected<Error> broken_record() {
  return fail(ErrorCode::kInternal, "a record of the stream does not read back");
}

// What the session is told: an error that ends it without another thought.
std::unexpected<Error> refused() { return fail(ErrorCode::kOutput, "the stream's user has ended it with an error"); }

constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

}  // namespace

RowDelivery::RowDelivery(const StreamOptions& options, std::vector<std::string> tables, const StartAt& from,
                         const Clock& clock)
    : options_(options),
      selected_(std::move(tables)),
      clock_(clock),
      last_flush_(clock.now()),
      last_save_(clock.now()),
      beginning_is_saved_(from.kind == StartAt::Kind::kPositions) {}

Result<void> RowDelivery::write(std::string_view records) {
  auto taken = take(records);
  if (taken && !carry_.empty()) taken = broken_record();
  incomplete_ = !taken;
  return taken;
}

// The transaction is complete, though not all of it is here yet.
Result<void> RowDelivery::write_part(std::string_view records) {
  auto taken = take(records);
  return taken && waiting_ >= options_.max_rows_per_flush ? flush() : taken;
}

Result<void> RowDelivery::began(const ShardPositions& positions, const std::optional<CopyPlan>& copy) {
  positions_ = &positions;
  copy_ = &copy;
  saved_ = checkpoint();
  return {};
}

Result<void> RowDelivery::settled() {
  if (failure_) return refused();
  const TimePoint now = clock_.now();
  const bool late = now - last_flush_ >= options_.min_flush_duration;
  if (waiting_ >= options_.max_rows_per_flush || (waiting_ > 0 && late)) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  const bool due = unsaved_flush_ || now - last_save_ >= options_.min_flush_duration;
  return waiting_ == 0 && due ? save() : Result<void>();
}

Result<void> RowDelivery::ended() {
  if (incomplete_) return {};
  auto flushed = flush();
  return flushed ? save() : flushed;
}

Result<void> RowDelivery::take(std::string_view records) {
  if (failure_) return refused();
  if (!carry_.empty()) {
    carry_ += records;
    records = carry_;
  }
  RecordReader reader(records);
  Record record;
  while (reader.next(record)) {
    if (auto taken = take_record(record); !taken) return taken;
  }
  if (!reader.ok()) return broken_record();
  carry_ = std::string(reader.rest());
  return {};
}

Result<void> RowDelivery::take_record(const Record& record) {
  const StreamHooks& hooks = options_.hooks;
  const LineOrigin& origin = record.origin;
  switch (record.kind) {
    case RecordKind::kFields: return take_fields(record);
    case RecordKind::kRow: return take_row(record);
    case RecordKind::kBegin: return call(hooks.begin, event_of(origin));
    case RecordKind::kCommit: {
      std::uint64_t rows = 0;
      return read_number(record, rows) ? call(hooks.commit, event_of(origin), rows) : broken_record();
    }
    case RecordKind::kHeartbeat:
      return call(hooks.heartbeat, std::chrono::sys_seconds(std::chrono::seconds(origin.timestamp)));
    case RecordKind::kDdl: return take_ddl(record);
    case RecordKind::kReshard: return take_reshard(record);
    case RecordKind::kCopyCompleted: {
      auto flushed = flush();
      return flushed ? call(hooks.copy_completed, origin.shard) : flushed;
    }
    case RecordKind::kCopyRestarted: {
      auto flushed = flush();
      return flushed ? call(hooks.copy_restarted, origin.shard, record.table) : flushed;
    }
    case RecordKind::kSkipped: return call(hooks.skipped, event_of(origin));
  }
  return broken_record();
}

// Every transaction repeats the columns of its tables.
Result<void> RowDelivery::take_fields(const Record& record) {
  auto& columns = table_rows(record.table).columns;
  auto found = columns.find(record.origin.shard);
  if (found == columns.end()) found = columns.emplace(record.origin.shard, Columns()).first;
  if (found->second.record == record.bytes) return {};
  TableInfo table;
  if (!read_fields(record, table)) return broken_record();
  found->second = {.record = std::string(record.bytes), .table = std::make_shared<const TableInfo>(std::move(table))};
  return {};
}

Result<void> RowDelivery::take_row(const Record& record) {
  TableRows& table = table_rows(record.table);
  if (table.on_flush == nullptr) {
    ++table.rows;
    return {};
  }
  const auto columns = table.columns.find(record.origin.shard);
  if (columns == table.columns.end()) return broken_record();
  table.waiting.push_back({.at = table.records.size(), .size = record.bytes.size(), .table = columns->second.table});
  table.records.append(record.bytes);
  ++waiting_;
  return {};
}

Result<void> RowDelivery::take_ddl(const Record& record) {
  std::string_view statement;
  if (!read_text(record, statement)) return broken_record();
  auto flushed = flush();
  return flushed ? call(options_.hooks.ddl, event_of(record.origin), statement) : flushed;
}

Result<void> RowDelivery::take_reshard(const Record& record) {
  Journal journal;
  if (!read_reshard(record, journal)) return broken_record();
  if (auto flushed = flush(); !flushed) return flushed;
  StreamReshard reshard{.keyspace = record.origin.keyspace, .id = journal.id, .shards = std::move(journal.shards)};
  for (Participant& participant : journal.participants) reshard.participants.push_back(std::move(participant.shard));
  return call(options_.hooks.reshard, reshard);
}

RowDelivery::TableRows& RowDelivery::table_rows(std::string_view table) {
  const auto found = tables_.find(table);
  if (found != tables_.end()) return found->second;
  TableRows& rows = tables_[std::string(table)];
  const auto named = std::ranges::find(options_.tables, table, &StreamTable::name);
  if (named != options_.tables.end() && named->on_flush) {
    rows.on_flush = &named->on_flush;
  } else if (options_.on_flush) {
    rows.on_flush = &options_.on_flush;
  }
  return rows;
}

template <typename Hook, typename... Args>
Result<void> RowDelivery::call(const Hook& hook, const Args&... args) {
  return hook ? checked(hook(args...)) : Result<void>();
}

Result<void> RowDelivery::checked(Result<void> done) {
  if (done) return {};
  failure_ = std::move(done.error());
  return refused();
}

// All tables together.
Result<void> RowDelivery::flush() {
  if (failure_) return refused();
  last_flush_ = clock_.now();
  if (waiting_ == 0) return {};
  // A crash after the first rows must find where they began.
  if (positions_ != nullptr && !std::exchange(beginning_is_saved_, true)) {
    if (auto noted = save_checkpoint(saved_); !noted) return noted;
  }
  for (auto& [name, table] : tables_) {
    if (auto flushed = flush_table(name, table); !flushed) return flushed;
  }
  waiting_ = 0;
  unsaved_flush_ = true;
  return {};
}

Result<void> RowDelivery::flush_table(const std::string& name, TableRows& table) {
  for (std::size_t first = 0; first < table.waiting.size(); first += options_.max_rows_per_flush) {
    const std::size_t count = std::min(options_.max_rows_per_flush, table.waiting.size() - first);
    if (auto flushed = flush_chunk(name, table, first, count); !flushed) return flushed;
  }
  table.waiting.clear();
  table.records.clear();
  table.records.shrink(kKeptBytes);
  return {};
}

Result<void> RowDelivery::flush_chunk(const std::string& name, TableRows& table, std::size_t first, std::size_t count) {
  std::vector<RowChange> rows(count);
  std::vector<Value> values;
  std::vector<RowRecord> read(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Waiting& waiting = table.waiting[first + i];
    Record record;
    RecordReader reader(table.records.view().substr(waiting.at, waiting.size));
    if (!reader.next(record) || !read_row(record, *waiting.table, read[i], values)) return broken_record();
    rows[i] = {.op = read[i].op,
               .table = waiting.table.get(),
               .gtid = record.origin.gtid,
               .n = read[i].n,
               .committed_at = time_of(record.origin.timestamp)};
  }
  // The values have all found their place.
  std::span<const Value> rest = values;
  for (std::size_t i = 0; i < count; ++i) {
    for (auto [there, image] : {std::pair{read[i].has_before, &rows[i].before}, {read[i].has_after, &rows[i].after}}) {
      if (!there) continue;
      *image = rest.first(read[i].columns);
      rest = rest.subspan(read[i].columns);
    }
  }
  auto flushed = checked((*table.on_flush)({.keyspace = options_.keyspace,
                                            .table = name,
                                            .rows = rows,
                                            .rows_before = table.rows,
                                            .flushes_before = table.flushes,
                                            .position = position()}));
  table.rows += count;
  ++table.flushes;
  return flushed;
}

Vgtid RowDelivery::position() const {
  return positions_ != nullptr && !copy_->has_value() ? positions_->vgtid(options_.keyspace) : Vgtid();
}

Checkpoint RowDelivery::checkpoint() const {
  Checkpoint now{.position = positions_->vgtid(options_.keyspace), .tables = selected_};
  if (copy_->has_value()) now.copy = (*copy_)->state();
  return now;
}

Result<void> RowDelivery::save() {
  if (options_.store == nullptr || positions_ == nullptr) return {};
  last_save_ = clock_.now();
  unsaved_flush_ = false;
  Checkpoint now = checkpoint();
  if (saved_ == now) return {};
  auto saved = save_checkpoint(now);
  saved_ = std::move(now);
  beginning_is_saved_ = true;
  return saved;
}

Result<void> RowDelivery::save_checkpoint(const Checkpoint& checkpoint) {
  return options_.store != nullptr ? checked(options_.store->save(checkpoint)) : Result<void>();
}

}  // namespace vstream
