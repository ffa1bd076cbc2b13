#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "history.h"

namespace vstream::property {

/// A shard's tables as a consumer has them who applies every line as it comes: by key, the last one wins; rows of a
/// table without a key are counted one by one.
class Fold {
 public:
  Fold(const History& history, std::size_t shard);

  /// Applies a `row` line. Returns what is wrong with it, or "".
  std::string apply_row(std::size_t table, const nlohmann::json& line);
  /// Drops all rows of the table: what a `copy_restarted` line asks for.
  void drop(std::size_t table);
  /// How the table differs from the source at that place; "" if it does not.
  std::string compare(std::size_t table, Place place) const;

 private:
  using Image = std::vector<std::string>;  // a value's JSON text per column; absent ones have the default

  Image read(std::size_t table, const nlohmann::json& image) const;
  Image key_of(std::size_t table, const Image& image) const;
  std::vector<Image> source(std::size_t table, Place place) const;

  const History& history_;
  std::size_t shard_;
  std::vector<std::map<Image, std::vector<Image>>> rows_;  // per table, by key: of a table without one, by all columns
  std::vector<std::string> strayed_;                       // per table: a change of a row that was not there
};

}  // namespace vstream::property
