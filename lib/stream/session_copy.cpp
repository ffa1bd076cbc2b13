// The part of a session that copies: which table is next, what has begun, what is complete.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "stream/session.h"
#include "vtgate/table_name.h"

namespace vstream {

// Who keeps positions must know where the stream begins before anything comes of it: a word, or nothing at all, could
// mean another place the next time.
Result<void> Session::make_positions_concrete() {
  if (world_.keeper == nullptr || began_) return {};
  std::vector<std::string> open;
  for (const auto& [shard, gtid] : positions_.map()) {
    if (!is_concrete(gtid)) open.push_back(shard);
  }
  if (!open.empty()) {
    const auto now = world_.current_positions(open);
    if (!now) return std::unexpected(now.error());
    for (const ShardPosition& position : *now) positions_.moved(position.shard, position.gtid);
  }
  began_ = true;
  return sink_.timed([this] { return world_.keeper->began(positions_, copy_); });
}

// The tables may be others than they were.
Result<void> Session::prepare_copy() {
  if (selection_.choice().may_grow()) {
    const auto existing = world_.list_tables();
    if (!existing) return std::unexpected(existing.error());
    const CopyPlan::Changes changes = copy_->tables_are(selection_.choice().of(*existing));
    if (!changes.appeared.empty()) {
      world_.log(LogLevel::kInfo, fmt::format("to be copied, too: {}", fmt::join(changes.appeared, ", ")));
    }
    if (!changes.gone.empty()) {
      world_.log(LogLevel::kWarning, fmt::format("gone during the copy: {}", fmt::join(changes.gone, ", ")));
    }
  }
  if (copy_->complete()) return complete_copy();
  if (!can_be_copied(copy_->table())) return cannot_copy(selection_.keyspace(), copy_->table());
  if (auto learned = learn_keys(); !learned) return learned;
  lines_.clear();
  for (const std::string& shard : copy_->begin_request(positions_.map())) {
    writer_.copy_restarted(lines_, selection_.keyspace(), shard, copy_->table());
  }
  if (!lines_.empty() && options_.format == Format::kNative && options_.emit.has(Line::kCopyRestarted)) {
    if (auto added = output_.add_whole(lines_.view(), 0); !added) return added;
    if (auto flushed = output_.flush(); !flushed) return flushed;
  }
  world_.log(LogLevel::kInfo, fmt::format("copying table \"{}\"", copy_->table()));
  return {};
}

// What another process has begun, and how far it came is not known.
Result<void> Session::learn_keys() {
  for (const std::string& shard : copy_->keys_wanted()) {
    const auto fields = world_.table_fields(shard, copy_->table());
    if (!fields) return std::unexpected(fields.error());
    copy_->key_is(shard, *fields);
  }
  return {};
}

Result<void> Session::complete_copy() {
  if (copy_->finished_tables().empty()) {
    world_.log(LogLevel::kWarning, fmt::format("\"{}\" has no tables to copy", selection_.to_string()));
    // An empty position would ask VTGate for a copy all the same.
    auto now = positions_.map();
    for (auto& [shard, gtid] : now) gtid = "current";
    positions_ = ShardPositions(std::move(now));
  }
  copy_.reset();
  if (auto begun = begin_target(); !begun) return begun;
  if (options_.format != Format::kNative || !options_.emit.has(Line::kCopyCompleted)) return {};
  lines_.clear();
  for (const std::string& shard : followed_shards()) {
    writer_.copy_completed(lines_, selection_.keyspace(), shard);
  }
  auto added = output_.add_whole(lines_.view(), 0);
  // All others have written theirs before the last one says that all are complete.
  if (added && world_.unfinished_copies != nullptr) added = output_.flush();
  if (added && (world_.unfinished_copies == nullptr || --*world_.unfinished_copies == 0)) {
    lines_.clear();
    writer_.copy_completed(lines_, "", "");
    added = output_.add_whole(lines_.view(), 0);
  }
  return added ? settle() : added;
}

// VTGate does not pass on that a tablet is throttled, or how far it has read.
void Session::note_silent_copy() {
  constexpr std::chrono::minutes kLong{1};
  const auto silent = call_->watch().without_event(call_->now());
  if (silent < kLong) silence_noted_ = false;
  if (silent < kLong || std::exchange(silence_noted_, true)) return;
  world_.log(
      LogLevel::kWarning,
      fmt::format("nothing of the copy of table \"{}\" has come for {} s: its tablets may be throttled, or have to "
                  "read and sort much before the first row",
                  copy_->table(), std::chrono::floor<std::chrono::seconds>(silent).count()));
}

Result<void> Session::copy_begins(std::string_view shard, std::string_view table, const FieldEventView& fields) {
  if (copying()) {
    const bool known = copy_->without_key();
    auto begun = copy_->copy_begins(shard, table, fields);
    // The columns that were asked for may lack the key; the first cursor will tell.
    if (!known && copy_->without_key() && !selection_.choice().projects(table)) {
      world_.log(LogLevel::kWarning, fmt::format("table \"{}\" has no primary key, nor a unique one without NULLs: its "
                                                 "copy begins anew whenever it is interrupted",
                                                 table));
    }
    return begun;
  }
  return fail(ErrorCode::kStreamBroken, fmt::format("VTGate copies table \"{}\" of shard \"{}\" unasked", table, shard),
              "", Retriable::kYes);
}

}  // namespace vstream
