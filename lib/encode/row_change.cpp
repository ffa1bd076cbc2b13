#include <fmt/format.h>

#include <algorithm>

#include "vstream/row_binder.h"

namespace vstream {

std::optional<std::size_t> TableInfo::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &ColumnInfo::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const Value* RowChange::find(std::span<const Value> image, std::string_view column) const {
  const auto i = table->find(column);
  return i && *i < image.size() ? &image[*i] : nullptr;
}

std::vector<std::string_view> RowChange::partial() const {
  const auto misses = [](std::span<const Value> image, std::size_t i) {
    return i < image.size() && (image[i].state == ValueState::kAbsent || image[i].state == ValueState::kJsonDiff);
  };
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    if (misses(before, i) || misses(after, i)) names.push_back(table->columns[i].name);
  }
  return names;
}

namespace binding {

Error cannot_bind(const TableInfo& table, std::string_view column, std::string_view why,
                  std::optional<std::string_view> value) {
  constexpr std::size_t kShown = 100;
  const std::string shown =
      !value ? "" : fmt::format(" \"{}\"{}", value->substr(0, kShown), value->size() > kShown ? "..." : "");
  return {.code = ErrorCode::kDecode,
          .message = fmt::format("cannot bind column \"{}\" of table \"{}\": {}{}{}", column, table.name,
                                 value ? "the value" : "it", shown, fmt::format(" {}", why)),
          .keyspace = table.keyspace,
          .shard = table.shard};
}

Result<const Value*> value_of(const TableInfo& table, std::span<const Value> image, std::string_view column) {
  const auto i = table.find(column);
  if (!i) return std::unexpected(cannot_bind(table, column, "is no column of the table"));
  if (*i >= image.size()) return std::unexpected(cannot_bind(table, column, "is in an image that the change lacks"));
  const Value& value = image[*i];
  switch (value.state) {
    case ValueState::kNull: return nullptr;
    case ValueState::kAbsent: return std::unexpected(cannot_bind(table, column, "is missing in the row's image"));
    case ValueState::kJsonDiff: return std::unexpected(cannot_bind(table, column, "came as a JSON difference"));
    case ValueState::kValue: break;
  }
  if (value.lossy) return std::unexpected(cannot_bind(table, column, "is not exactly what is stored", value.text));
  return &value;
}

}  // namespace binding
}  // namespace vstream
