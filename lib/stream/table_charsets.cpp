#include "stream/table_charsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vstream {
namespace {

// The columns that an answer is needed for, as a text that differs when they do.
std::string open_columns(const Table& table) {
  std::string names;
  for (const Column& column : table.columns) {
    if (column.charset_is_open()) names += column.name + '\0' + column.column_type + '\0';
  }
  return names;
}

// Collations that VTGate does not tell, though it tells others of their sets. With the names of MySQL before 8.0.30.
constexpr std::array<std::string_view, 5> kUntold = {"latin1_german2_ci", "utf8mb3_general_mysql500_ci",
                                                     "utf8mb3_tolower_ci", "utf8_general_mysql500_ci",
                                                     "utf8_tolower_ci"};

// kUntranslated for an answer that is not believed. To be told a collation that VTGate would have told itself means
// that the table has changed since its columns were sent: the rows that follow may be older.
Charset charset_of_answer(std::string_view collation) {
  const Charset charset = charset_of_name(collation.substr(0, collation.find('_')));
  const bool told = charset == Charset::kUtf8 || charset == Charset::kAscii || charset == Charset::kLatin1 ||
                    charset == Charset::kBinary;
  return told && std::ranges::find(kUntold, collation) == kUntold.end() ? Charset::kUntranslated : charset;
}

}  // namespace

Result<void> TableCharsets::complete(Table& table) {
  std::string about = open_columns(table);
  if (about.empty() || !ask_) return {};
  Answer& answer = answers_[fmt::format("{}/{}", table.keyspace, table.name)];
  if (answer.about != about) {
    auto collations = ask_(table.keyspace, table.name);
    if (!collations) {
      collations.error().message = fmt::format("could not ask for the character sets of table \"{}\": {}", table.name,
                                               collations.error().message);
      return std::unexpected(std::move(collations.error()));
    }
    answer = {.about = std::move(about), .collations = *std::move(collations)};
  }
  for (Column& column : table.columns) {
    const auto named = answer.collations.find(column.name);
    if (!column.charset_is_open() || named == answer.collations.end()) continue;
    const Charset charset = charset_of_answer(named->second);
    if (charset != Charset::kUntranslated) column.charset = charset;
  }
  return {};
}

}  // namespace vstream
