#include "tail_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vstream::cli {
namespace {

std::unexpected<Error> for_option(std::string_view option, Error error) {
  error.message = fmt::format("{}: {}", option, error.message);
  return std::unexpected(std::move(error));
}

// Completes a query's keyspace, and checks it: a table's name may hold dots, so "a.b" is a table of keyspace "a".
Result<void> take_keyspace(std::string_view option, TableQuery& query, const std::vector<Selector>& selectors) {
  const auto is_of = [&](const Selector& selector) { return selector.keyspace == query.keyspace; };
  if (query.keyspace.empty() && !selectors.empty()) {
    query.keyspace = selectors.front().keyspace;
    if (std::ranges::all_of(selectors, is_of)) return {};
    return fail(ErrorCode::kUsage,
                fmt::format("{} does not say of which keyspace table \"{}\" is", option, query.table),
                fmt::format("write KEYSPACE.TABLE: {}.{}", query.keyspace, query.table));
  }
  if (selectors.empty() || std::ranges::any_of(selectors, is_of)) return {};
  return fail(ErrorCode::kUsage,
              fmt::format("{} is about keyspace \"{}\", of which nothing is selected", option, query.keyspace),
              fmt::format("write KEYSPACE.TABLE, also for a table with dots: {}.{}.{}", selectors.front().keyspace,
                          query.keyspace, query.table));
}

using ParseQuery = Result<TableQuery> (*)(std::string_view);

// Joins conditions and columns of the same table.
Result<void> parse_queries(std::string_view option, const std::vector<std::string>& texts, ParseQuery parse,
                           TailOptions& options) {
  for (const std::string& text : texts) {
    auto query = parse(text);
    if (!query) return for_option(option, std::move(query.error()));
    if (auto taken = take_keyspace(option, *query, options.selectors); !taken) return taken;
    const auto same = std::ranges::find_if(options.queries, [&](const TableQuery& other) {
      return other.keyspace == query->keyspace && other.table == query->table;
    });
    if (same == options.queries.end()) {
      options.queries.push_back(*std::move(query));
      continue;
    }
    if ((!query->columns.empty() && !same->columns.empty()) || (!query->where.empty() && !same->where.empty())) {
      return fail(ErrorCode::kUsage, fmt::format("{} is given twice for table \"{}\"", option, query->table),
                  query->where.empty() ? "list all columns in one" : "join the conditions with AND");
    }
    if (!query->columns.empty()) same->columns = std::move(query->columns);
    if (!query->where.empty()) same->where = std::move(query->where);
  }
  return {};
}

Result<RowOps> parse_ops(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, RowOp>, 4> kOps = {
      {{"c", RowOp::kCreated}, {"u", RowOp::kUpdated}, {"d", RowOp::kDeleted}, {"r", RowOp::kCopied}}};
  RowOps ops;
  for (std::string_view rest = text;; rest.remove_prefix(rest.find(',') + 1)) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const auto* const found = std::ranges::find(kOps, name, &std::pair<std::string_view, RowOp>::first);
    if (found == kOps.end()) {
      return fail(ErrorCode::kUsage, fmt::format("--ops does not know \"{}\"", name),
                  "it is a list of: c (created), u (updated), d (deleted), r (copied)");
    }
    ops.add(found->second);
    if (rest.find(',') == std::string_view::npos) return ops;
  }
}

Result<void> parse_selectors(const std::vector<std::string>& texts, std::string_view option,
                             std::vector<Selector>& selectors) {
  for (const std::string& text : texts) {
    auto selector = Selector::parse(text);
    if (!selector)
      return option.empty() ? std::unexpected(std::move(selector.error()))
                            : for_option(option, std::move(selector.error()));
    selectors.push_back(*std::move(selector));
  }
  return {};
}

Result<void> parse_flags(const TailArguments& arguments, TailOptions& options) {
  options.flags.cells = arguments.cells;
  options.flags.cell_preference = arguments.cell_preference;
  for (const std::string& text : arguments.vstream_flags) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kUsage, fmt::format("--vstream-flag \"{}\" is not NAME=VALUE", text));
    }
    auto set = options.flags.set(std::string_view(text).substr(0, equals), std::string_view(text).substr(equals + 1));
    if (!set) return for_option("--vstream-flag", std::move(set.error()));
  }
  return options.flags.check(options.liveness_timeout);
}

// What does not go together.
Result<void> check(const TailOptions& options) {
  for (const Selector& selector : options.exclude) {
    const auto is_of = [&](const Selector& other) { return other.keyspace == selector.keyspace; };
    if (options.selectors.empty() || std::ranges::any_of(options.selectors, is_of)) continue;
    return fail(ErrorCode::kUsage,
                fmt::format("--exclude \"{}\" is about keyspace \"{}\", of which nothing is selected",
                            selector.to_string(), selector.keyspace));
  }
  const auto has_where = [](const TableQuery& query) { return !query.where.empty(); };
  const bool where = std::ranges::any_of(options.queries, has_where);
  if (where && options.partial_images == PartialImages::kMark) {
    return fail(ErrorCode::kUsage, "--where and --partial-images mark exclude each other",
                "a condition over a column that is not in the image loses rows without a trace");
  }
  if (options.format == Format::kRaw && options.ops != RowOps::all()) {
    return fail(ErrorCode::kUsage, "--format raw and --ops exclude each other", "raw prints every response whole");
  }
  return {};
}

}  // namespace

Result<void> parse_selection(const TailArguments& arguments, TailOptions& options) {
  auto done = parse_selectors(arguments.selectors, "", options.selectors);
  if (done) done = parse_selectors(arguments.exclude, "--exclude", options.exclude);
  if (done) done = parse_queries("--where", arguments.where, &TableQuery::parse_where, options);
  if (done) done = parse_queries("--columns", arguments.columns, &TableQuery::parse_columns, options);
  if (done) done = parse_flags(arguments, options);
  if (!done) return done;
  options.internal_tables = arguments.internal_tables;
  if (!arguments.ops.empty()) {
    const auto ops = parse_ops(arguments.ops);
    if (!ops) return std::unexpected(ops.error());
    options.ops = *ops;
  }
  return check(options);
}

}  // namespace vstream::cli
