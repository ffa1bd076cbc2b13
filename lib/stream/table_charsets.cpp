#include "stream/table_charsets.h"

#include <fmt/format.h>

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

// VTGate names these itself. To be told one of them means that the table has changed since its columns were sent: the
// rows that follow may be older.
bool vtgate_would_have_said(Charset charset) {
  return charset == Charset::kUtf8 || charset == Charset::kAscii || charset == Charset::kLatin1 ||
         charset == Charset::kBinary;
}

}  // namespace

Result<void> TableCharsets::complete(Table& table) {
  std::string about = open_columns(table);
  if (about.empty() || !ask_) return {};
  Answer& answer = answers_[fmt::format("{}/{}", table.keyspace, table.name)];
  if (answer.about != about) {
    auto charsets = ask_(table.keyspace, table.name);
    if (!charsets) {
      charsets.error().message =
          fmt::format("could not ask for the character sets of table \"{}\": {}", table.name, charsets.error().message);
      return std::unexpected(std::move(charsets.error()));
    }
    answer = {.about = std::move(about), .charsets = *std::move(charsets)};
  }
  for (Column& column : table.columns) {
    const auto named = answer.charsets.find(column.name);
    if (!column.charset_is_open() || named == answer.charsets.end()) continue;
    const Charset charset = charset_of_name(named->second);
    if (charset != Charset::kUntranslated && !vtgate_would_have_said(charset)) column.charset = charset;
  }
  return {};
}

}  // namespace vstream
