#include "stream/copy_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vtgate/copy_cursor.h"

namespace vstream {
namespace {

std::unexpected<Error> do_not_believe(std::string message) {
  return fail(ErrorCode::kStreamBroken, std::move(message), "", Retriable::kYes);
}

binlogdata::TableLastPK bare_name(const std::string& table) {
  binlogdata::TableLastPK entry;
  entry.set_table_name(table);
  return entry;
}

void add_key_field(binlogdata::TableLastPK& entry, const query::Field& column) {
  if (!is_key_column(column.flags())) return;
  query::Field& field = *entry.mutable_lastpk()->add_fields();
  field.set_name(column.name());
  field.set_type(column.type());
  field.set_charset(column.charset());
  field.set_flags(column.flags());
}

binlogdata::TableLastPK zero_rows(const std::string& table, const FieldEventView& fields) {
  binlogdata::TableLastPK entry = bare_name(table);
  for (const FieldView& view : fields.fields) {
    query::Field field;
    field.set_name(std::string(view.name));
    field.set_type(static_cast<query::Type>(view.type));
    field.set_charset(view.charset);
    field.set_flags(view.flags);
    add_key_field(entry, field);
  }
  return entry;
}

}  // namespace

CopyPlan::CopyPlan(const std::vector<std::string>& tables, const std::vector<std::string>& shards)
    : waiting_(tables.begin(), tables.end()) {
  for (const std::string& shard : shards) shards_[shard];
  choose();
}

CopyPlan::CopyPlan(const CopyState& state, const std::vector<std::string>& shards) : resumed_(true) {
  for (const std::string& shard : shards) shards_[shard];
  for (const UnfinishedTable& table : state.unfinished) {
    const auto cursor = usable_cursor(table.cursor);
    const bool fits = cursor && cursor->table_name() == table.table;
    left_over_[table.table][table.shard] = fits ? table.cursor : "";
    waiting_.insert(table.table);
  }
  for (const std::string& table : state.tables) {
    if (!waiting_.contains(table)) finished_.insert(table);
  }
  choose();
}

// A table that is half done goes first.
void CopyPlan::choose() {
  current_.reset();
  if (waiting_.empty()) return;
  const auto half_done = std::ranges::find_if(waiting_, [this](const std::string& table) {
    const auto left = left_over_.find(table);
    return left != left_over_.end() &&
           std::ranges::any_of(left->second, [](const auto& shard) { return !shard.second.empty(); });
  });
  current_ = std::move(waiting_.extract(half_done != waiting_.end() ? half_done : waiting_.begin()).value());
  for (auto& [shard, copy] : shards_) copy = first_state(shard);
  left_over_.erase(*current_);
}

CopyPlan::ShardCopy CopyPlan::first_state(std::string_view shard) const {
  const auto table = left_over_.find(*current_);
  if (table == left_over_.end()) return {.begun = resumed_};
  const auto left = table->second.find(shard);
  if (left == table->second.end()) return {.finished = true};
  const auto cursor = usable_cursor(left->second);
  return {.begun = true, .has_key = !cursor || has_key(*cursor), .no_rows = {}, .cursor = left->second};
}

CopyPlan::Changes CopyPlan::tables_are(const std::vector<std::string>& tables) {
  Changes changes;
  const std::set<std::string, std::less<>> now(tables.begin(), tables.end());
  for (const std::string& table : now) {
    if (table == current_ || finished_.contains(table) || waiting_.contains(table)) continue;
    waiting_.insert(table);
    changes.appeared.push_back(table);
  }
  const auto forget = [&](const std::string& table) {
    if (now.contains(table)) return false;
    changes.gone.push_back(table);
    return true;
  };
  std::erase_if(finished_, forget);
  std::erase_if(waiting_, forget);
  for (const std::string& table : changes.gone) left_over_.erase(table);
  if (!current_ || forget(*current_)) choose();
  return changes;
}

std::vector<std::string> CopyPlan::keys_wanted() const {
  std::vector<std::string> shards;
  for (const auto& [shard, copy] : shards_) {
    const bool known = copy.no_rows.has_lastpk() || !copy.has_key || !copy.cursor.empty();
    if (copy.begun && !copy.finished && !known) shards.push_back(shard);
  }
  return shards;
}

void CopyPlan::key_is(std::string_view shard, const std::vector<query::Field>& fields) {
  const auto found = shards_.find(shard);
  if (found == shards_.end()) return;
  found->second.no_rows = bare_name(*current_);
  for (const query::Field& field : fields) add_key_field(found->second.no_rows, field);
  found->second.has_key = found->second.no_rows.has_lastpk();
}

std::vector<std::string> CopyPlan::begin_request(const ShardPositions::Map& positions) {
  std::vector<std::string> restarted;
  for (auto& [shard, copy] : shards_) {
    // Rows are out only with a position.
    const auto position = positions.find(shard);
    if (position == positions.end() || !is_concrete(position->second)) copy = {};
    if (!copy.finished && copy.begun && !copy.has_key) {
      copy = {};
      restarted.push_back(shard);
    }
    copy.begun_in_request = 0;
  }
  return restarted;
}

std::optional<binlogdata::TableLastPK> CopyPlan::entry(std::string_view shard) const {
  const auto found = shards_.find(shard);
  if (found == shards_.end() || found->second.finished) return std::nullopt;
  const ShardCopy& copy = found->second;
  if (auto cursor = usable_cursor(copy.cursor)) return cursor;
  return copy.begun ? copy.no_rows : bare_name(*current_);
}

Result<void> CopyPlan::copy_begins(std::string_view shard, std::string_view table, const FieldEventView& fields) {
  const auto found = shards_.find(shard);
  if (current_ != table || found == shards_.end() || found->second.finished) {
    return do_not_believe(fmt::format("VTGate copies table \"{}\" of shard \"{}\" unasked", table, shard));
  }
  ShardCopy& copy = found->second;
  // The key may not be among the selected columns: VTGate's cursors have it all the same.
  if (auto no_rows = zero_rows(*current_, fields); no_rows.has_lastpk()) copy.no_rows = std::move(no_rows);
  const auto cursor = usable_cursor(copy.cursor);
  copy.has_key = copy.no_rows.has_lastpk() || (cursor && vstream::has_key(*cursor));
  copy.begun = true;
  if (++copy.begun_in_request > 1 && !copy.has_key) {
    return do_not_believe(fmt::format(
        "VTGate goes on with the copy of table \"{}\" of shard \"{}\", which has no key: rows would be missing", table,
        shard));
  }
  return {};
}

bool CopyPlan::without_key() const {
  return std::ranges::any_of(shards_, [](const auto& entry) { return entry.second.begun && !entry.second.has_key; });
}

bool CopyPlan::shard_reported(std::string_view shard, const std::vector<CopyCursor>& cursors) {
  const auto found = shards_.find(shard);
  if (complete() || found == shards_.end() || found->second.finished) return false;
  const auto cursor = std::ranges::find(cursors, *current_, &CopyCursor::table);
  if (cursor != cursors.end()) {
    ShardCopy& copy = found->second;
    copy.cursor = cursor->bytes;
    if (copy.has_key) return false;
    const auto usable = usable_cursor(copy.cursor);
    copy.has_key = usable && vstream::has_key(*usable);
    return false;
  }
  found->second.finished = true;
  return true;
}

bool CopyPlan::table_finished() const {
  return std::ranges::all_of(shards_, [](const auto& entry) { return entry.second.finished; });
}

void CopyPlan::next_table() {
  finished_.insert(std::move(*current_));
  choose();
}

CopyState CopyPlan::state() const {
  CopyState state;
  state.tables.assign(finished_.begin(), finished_.end());
  if (current_) state.tables.push_back(*current_);
  state.tables.insert(state.tables.end(), waiting_.begin(), waiting_.end());
  for (const auto& [shard, copy] : shards_) {
    if (!current_ || copy.finished) continue;
    const std::string no_rows = copy.no_rows.has_lastpk() ? copy.no_rows.SerializeAsString() : "";
    state.unfinished.push_back(
        {.shard = shard, .table = *current_, .cursor = copy.cursor.empty() ? no_rows : copy.cursor});
  }
  for (const std::string& table : waiting_) {
    const auto left = left_over_.find(table);
    for (const auto& [shard, copy] : shards_) {
      if (left == left_over_.end()) {
        state.unfinished.push_back({.shard = shard, .table = table});
      } else if (const auto cursor = left->second.find(shard); cursor != left->second.end()) {
        state.unfinished.push_back({.shard = shard, .table = table, .cursor = cursor->second});
      }
    }
  }
  return state;
}

}  // namespace vstream
