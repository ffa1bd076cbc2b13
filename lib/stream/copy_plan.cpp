#include "stream/copy_plan.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <utility>

namespace vstream {
namespace {

constexpr std::uint32_t kPrimaryKeyFlag = 2;  // MySQL's PRI_KEY_FLAG; also set for a unique key without NULLs

std::unexpected<Error> do_not_believe(std::string message) {
  return fail(ErrorCode::kStreamBroken, std::move(message), "", Retriable::kYes);
}

// A tablet panics over a cursor whose parts do not fit (vitess#16479), and VTGate does not look.
bool is_usable(const binlogdata::TableLastPK& cursor) {
  if (!cursor.has_lastpk() || cursor.lastpk().fields().empty()) return false;
  return std::ranges::all_of(cursor.lastpk().rows(), [&](const query::Row& row) {
    std::uint64_t bytes = 0;
    for (const std::int64_t length : row.lengths())
      bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(length, 0));
    return row.lengths_size() == cursor.lastpk().fields_size() && bytes == row.values().size();
  });
}

std::optional<binlogdata::TableLastPK> usable_cursor(const std::string& bytes) {
  const google::protobuf::LogSilencer errors_are_values;
  binlogdata::TableLastPK cursor;
  if (bytes.empty() || !cursor.ParseFromString(bytes) || !is_usable(cursor)) return std::nullopt;
  return cursor;
}

binlogdata::TableLastPK bare_name(const std::string& table) {
  binlogdata::TableLastPK entry;
  entry.set_table_name(table);
  return entry;
}

std::uint32_t flags_of(const FieldView& field) { return field.flags; }
std::uint32_t flags_of(const query::Field& field) { return field.flags(); }

const query::Field& to_proto(const query::Field& field) { return field; }
query::Field to_proto(const FieldView& view) {
  query::Field field;
  field.set_name(std::string(view.name));
  field.set_type(static_cast<query::Type>(view.type));
  field.set_charset(view.charset);
  field.set_flags(view.flags);
  return field;
}

// A cursor of no rows over the key columns among `fields`; without them it is the bare name.
template <typename Fields>
binlogdata::TableLastPK zero_rows(const std::string& table, const Fields& fields) {
  binlogdata::TableLastPK entry = bare_name(table);
  for (const auto& known : fields) {
    if ((flags_of(known) & kPrimaryKeyFlag) == 0) continue;
    *entry.mutable_lastpk()->add_fields() = to_proto(known);
  }
  return entry;
}

}  // namespace

CopyPlan::CopyPlan(const std::vector<std::string>& tables, const std::vector<std::string>& shards)
    : waiting_(tables.begin(), tables.end()) {
  for (const std::string& shard : shards) shards_[shard];
  choose();
}

void CopyPlan::choose() {
  current_.reset();
  if (waiting_.empty()) return;
  current_ = std::move(waiting_.extract(waiting_.begin()).value());
  for (auto& [shard, copy] : shards_) copy = {};
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
  if (!current_ || forget(*current_)) choose();
  return changes;
}

std::vector<std::string> CopyPlan::begin_request(const ShardPositions::Map& positions) {
  std::vector<std::string> restarted;
  for (auto& [shard, copy] : shards_) {
    // Rows are out only with a position.
    const auto position = positions.find(shard);
    if (position == positions.end() || !is_concrete(position->second)) copy = {};
    if (!copy.finished && copy.begun && !copy.has_key()) {
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
  // The key may not be among the selected columns: then the first cursor tells it.
  if (auto no_rows = zero_rows(*current_, fields.fields); no_rows.has_lastpk()) copy.no_rows = std::move(no_rows);
  copy.begun = true;
  if (++copy.begun_in_request > 1 && !copy.has_key()) {
    return do_not_believe(fmt::format(
        "VTGate goes on with the copy of table \"{}\" of shard \"{}\", which has no key: rows would be missing", table,
        shard));
  }
  return {};
}

bool CopyPlan::shard_reported(std::string_view shard, const std::vector<CopyCursor>& cursors) {
  const auto found = shards_.find(shard);
  if (complete() || found == shards_.end() || found->second.finished) return false;
  const auto cursor = std::ranges::find(cursors, *current_, &CopyCursor::table);
  if (cursor != cursors.end()) {
    ShardCopy& copy = found->second;
    copy.cursor = cursor->bytes;
    if (copy.has_key()) return false;
    if (const auto usable = usable_cursor(copy.cursor)) copy.no_rows = zero_rows(*current_, usable->lastpk().fields());
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

}  // namespace vstream
