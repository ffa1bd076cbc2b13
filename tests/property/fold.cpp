#include "fold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "reference/text.h"

namespace vstream::property {
namespace {

std::string to_json(const Column& column, const Cell& cell) {
  if (!cell) return "null";
  if (column.type == query::INT64) return *cell;
  return column.type == query::VARBINARY ? reference::json_string(reference::base64(*cell))
                                         : reference::json_string(*cell);
}

}  // namespace

Fold::Fold(const History& history, std::size_t shard)
    : history_(history), shard_(shard), rows_(history.tables.size()), strayed_(history.tables.size()) {}

Fold::Image Fold::read(std::size_t table, const nlohmann::json& image) const {
  Image read;
  for (const Column& column : history_.tables[table].columns) {
    const auto value = image.find(column.name);
    read.push_back(value == image.end() ? to_json(column, column.default_value) : value->dump());
  }
  return read;
}

Fold::Image Fold::key_of(std::size_t table, const Image& image) const {
  if (!history_.tables[table].has_key()) return image;
  Image key;
  for (const std::size_t column : history_.tables[table].key) key.push_back(image[column]);
  return key;
}

std::string Fold::apply_row(std::size_t table, const nlohmann::json& line) {
  const bool has_key = history_.tables[table].has_key();
  auto& rows = rows_[table];
  const auto before = line.find("before");
  const auto after = line.find("after");
  if (before == line.end() && after == line.end()) return "a row line without an image";
  if (before != line.end()) {
    const auto held = rows.find(key_of(table, read(table, *before)));
    if (held != rows.end()) {
      held->second.pop_back();
      if (held->second.empty()) rows.erase(held);
    } else if (!has_key) {
      strayed_[table] = "a change of a row that the consumer does not have: " + line.dump();
    }
  }
  if (after != line.end()) {
    Image image = read(table, *after);
    auto& held = rows[key_of(table, image)];
    if (has_key) held.clear();
    held.push_back(std::move(image));
  }
  return "";
}

void Fold::drop(std::size_t table) {
  rows_[table].clear();
  strayed_[table].clear();
}

std::vector<Fold::Image> Fold::source(std::size_t table, Place place) const {
  const Table& described = history_.tables[table];
  std::vector<Image> rows;
  for (const Row& row : history_.rows_at(shard_, table, place)) {
    Image& image = rows.emplace_back();
    for (std::size_t i = 0; i < described.columns.size(); ++i) {
      image.push_back(to_json(described.columns[i], i < row.size() ? row[i] : described.columns[i].default_value));
    }
  }
  std::ranges::sort(rows);
  return rows;
}

std::string Fold::compare(std::size_t table, Place place) const {
  const std::string where =
      fmt::format("table {:?} of shard {:?}", history_.tables[table].name, history_.shards[shard_].name);
  if (!strayed_[table].empty()) return where + ": " + strayed_[table];
  std::vector<Image> held;
  for (const auto& [key, images] : rows_[table]) held.insert(held.end(), images.begin(), images.end());
  std::ranges::sort(held);
  const std::vector<Image> wanted = source(table, place);
  if (held == wanted) return "";
  std::vector<Image> missing;
  std::vector<Image> phantoms;
  std::ranges::set_difference(wanted, held, std::back_inserter(missing));
  std::ranges::set_difference(held, wanted, std::back_inserter(phantoms));
  return fmt::format("{}: missing {}, too many {}", where, missing, phantoms);
}

}  // namespace vstream::property
