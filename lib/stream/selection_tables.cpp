#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/name_list.h"
#include "stream/comparable.h"
#include "stream/condition.h"
#include "stream/selection.h"
#include "vtgate/column_collations.h"
#include "vtgate/copy_cursor.h"
#include "vtgate/table_name.h"

namespace vstream {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> ordinary(const std::vector<std::string>& tables) {
  std::vector<std::string> names;
  std::ranges::copy_if(tables, std::back_inserter(names),
                       [](const std::string& table) { return table_kind(table) == TableKind::kOrdinary; });
  return names;
}

bool needs_collation(const Comparison& comparison) {
  return std::ranges::any_of(comparison.literals,
                             [](const std::string& literal) { return depends_on_collation(literal); });
}

std::unexpected<Error> in_keyspace(std::string keyspace, std::unexpected<Error> error) {
  error.error().keyspace = std::move(keyspace);
  return error;
}

}  // namespace

std::unexpected<Error> cannot_copy(const std::string& keyspace, std::string_view table) {
  return in_keyspace(keyspace, fail(ErrorCode::kRejected,
                                    fmt::format("VTGate cannot copy table \"{}\" of keyspace \"{}\": its name holds a "
                                                "backtick",
                                                table, keyspace),
                                    "leave it out with --exclude; its changes can be streamed without a copy"));
}

Result<void> Selection::take_tables(const TailOptions& options, const SqlClient& sql, const LogHook& log) {
  const auto existing = list_tables(sql, {.keyspace = keyspace_, .shard = shards_.front()}, options.tablet_type);
  if (!existing) return std::unexpected(existing.error());
  for (const TableMatch& match : choice_.selected()) {
    if (auto found = check_matches(match, *existing); !found) return found;
  }
  tables_ = choice_.of(*existing);
  if (tables_.empty() && !choice_.may_grow()) {
    return fail(ErrorCode::kUsage, fmt::format("--exclude leaves no table of keyspace \"{}\"", keyspace_));
  }
  const auto stuck = std::ranges::find_if_not(tables_, can_be_copied);
  if (options.from.kind == StartAt::Kind::kCopy && stuck != tables_.end()) return cannot_copy(keyspace_, *stuck);
  for (const TableQuery& query : choice_.queries()) {
    if (auto possible = check_query(query, *existing, options, sql); !possible) return possible;
  }
  tell_what_is_left_out(*existing, log);
  return {};
}

// What MySQL would take and a tablet would leave out; empty: nothing.
Result<std::string> Selection::why_not_comparable(const std::vector<Comparison>& comparisons,
                                                  const std::vector<query::Field>& fields, const std::string& table,
                                                  const SqlClient& sql) const {
  ColumnCollations collations;
  if (std::ranges::any_of(comparisons, needs_collation)) {
    auto asked = column_collations(sql, keyspace_, table);
    if (!asked) return std::unexpected(std::move(asked.error()));
    collations = *std::move(asked);
  }
  for (const Comparison& comparison : comparisons) {
    const auto field =
        std::ranges::find_if(fields, [&](const query::Field& of) { return same_column(of.name(), comparison.column); });
    if (field == fields.end()) continue;
    const auto collation = collations.find(field->name());
    for (const std::string& literal : comparison.literals) {
      const std::string_view why =
          vstream::why_not_comparable(field->type(), collation != collations.end() ? collation->second : "", literal);
      if (!why.empty()) return fmt::format("column \"{}\" and {}: {}", field->name(), literal, why);
    }
  }
  return "";
}

Result<void> Selection::check_matches(const TableMatch& match, const std::vector<std::string>& existing) const {
  const Selector& selector = match.selector();
  if (match.takes_all()) return {};
  if (selector.table && table_kind(*selector.table) == TableKind::kNeverStreamed) {
    return in_keyspace(keyspace_,
                       fail(ErrorCode::kRejected, fmt::format("table \"{}\" cannot be streamed", *selector.table),
                            "Vitess takes a table with such a name for one of a schema change or of its "
                            "garbage collector, and leaves its changes out"));
  }
  if (std::ranges::any_of(existing, [&](const std::string& table) { return match.takes(table); })) return {};
  const std::string what =
      selector.table ? fmt::format("keyspace \"{}\" has no table \"{}\"", keyspace_, *selector.table)
                     : fmt::format("no table of keyspace \"{}\" matches \"/{}/\"", keyspace_, *selector.pattern);
  return in_keyspace(keyspace_, fail(ErrorCode::kUnknownTable, what,
                                     did_you_mean(selector.table ? *selector.table : *selector.pattern,
                                                  ordinary(existing), "its tables")));
}

Result<void> Selection::check_query(const TableQuery& query, const std::vector<std::string>& existing,
                                    const TailOptions& options, const SqlClient& sql) const {
  const auto refused = [&](ErrorCode code, std::string_view why, std::string hint) {
    return in_keyspace(keyspace_,
                       fail(code, fmt::format("cannot run \"{}\": {}", query.to_select(), why), std::move(hint)));
  };
  if (!contains(existing, query.table)) {
    return refused(ErrorCode::kUnknownTable, fmt::format("keyspace \"{}\" has no such table", keyspace_),
                   did_you_mean(query.table, ordinary(existing), "its tables"));
  }
  if (!contains(tables_, query.table)) return refused(ErrorCode::kUsage, "the table is not selected", "");
  if (query.table.starts_with('/')) {
    return refused(ErrorCode::kRejected, "VTGate takes a name that begins with a slash for a pattern", "");
  }
  const auto fields = table_fields(sql, {.keyspace = keyspace_, .shard = shards_.front()}, query.table);
  // Who may not ask finds out from the tablet.
  if (!fields && fields.error().code == ErrorCode::kRejected) return {};
  if (!fields) return std::unexpected(fields.error());
  std::vector<std::string> columns;
  for (const query::Field& field : *fields) columns.push_back(field.name());
  const auto lacks = [&](const std::string& column) {
    return !query.columns.empty() &&
           std::ranges::none_of(query.columns, [&](const std::string& listed) { return same_column(listed, column); });
  };
  for (const query::Field& field : *fields) {
    if (!options.key || !is_key_column(field.flags()) || !lacks(field.name())) continue;
    return refused(ErrorCode::kUsage, fmt::format("--key needs column \"{}\", which is part of the key", field.name()),
                   "");
  }
  std::vector<std::string> named = query.columns;
  if (!query.where.empty()) {
    const auto comparisons = read_condition(query.where);
    if (!comparisons) return std::unexpected(comparisons.error());
    for (const Comparison& comparison : *comparisons) named.push_back(comparison.column);
    const auto why = why_not_comparable(*comparisons, *fields, query.table, sql);
    if (!why) return std::unexpected(why.error());
    if (!why->empty()) return refused(ErrorCode::kUsage, *why, "");
  }
  for (const std::string& name : named) {
    if (std::ranges::any_of(columns, [&](const std::string& column) { return same_column(column, name); })) continue;
    return refused(ErrorCode::kRejected, fmt::format("the table has no column \"{}\"", name),
                   did_you_mean(name, columns, "its columns"));
  }
  return {};
}

void Selection::tell_what_is_left_out(const std::vector<std::string>& existing, const LogHook& log) const {
  std::vector<std::string> hidden;
  for (const std::string& table : existing) {
    if (table_kind(table) == TableKind::kShadow && choice_.hides(table)) hidden.push_back(table);
  }
  if (!hidden.empty()) {
    log(LogLevel::kInfo, fmt::format("left out as tables of schema changes: \"{}\" (--internal-tables brings them)",
                                     fmt::join(hidden, "\", \"")));
  }
  for (const TableMatch& match : choice_.excluded()) {
    if (std::ranges::any_of(existing, [&](const std::string& table) { return match.takes(table); })) continue;
    const Selector& selector = match.selector();
    log(LogLevel::kWarning,
        fmt::format("--exclude \"{}\" matches no table now; {}", selector.to_string(),
                    did_you_mean(selector.table ? *selector.table : *selector.pattern, ordinary(existing), "tables")));
  }
}

}  // namespace vstream
