#include "encode/json_writer.h"

#include <fmt/format.h>

#include "encode/json_string.h"
#include "encode/number.h"

namespace vstream {
namespace {

std::uint8_t mark_of(ValueNote note) {
  switch (note) {
    case ValueNote::kBase64: return kBase64;
    case ValueNote::kLossy: return kLossy;
    case ValueNote::kJsonNull: return kJsonNull;
    case ValueNote::kNone:
    case ValueNote::kBeyondDouble:
    case ValueNote::kInvalid: break;
  }
  return 0;
}

std::string_view head_of(const RowChangeView& change, const RowContext& context) {
  if (!change.after.present) return R"({"type":"row","op":"d")";
  if (change.before.present) return R"({"type":"row","op":"u")";
  return context.timestamp == 0 ? R"({"type":"row","op":"r")" : R"({"type":"row","op":"c")";
}

}  // namespace

// `"name":value`.
Result<void> JsonWriter::write_cell(Buffer& out, Table& table, std::size_t i, const ImageCell& cell, Phase phase) {
  const Column& column = table.columns[i];
  out.append(column.key);
  if (cell.null) {
    out.append("null");
    return {};
  }
  const std::size_t value = out.size();
  const ValueNote note = values_.write(out, column, cell.bytes, phase);
  if (note == ValueNote::kNone) return {};
  if (note == ValueNote::kInvalid) {
    return row_mismatch(table, fmt::format("the value of column \"{}\" is not of its type", column.name));
  }
  images_.marks().add(i, mark_of(note));
  if (note == ValueNote::kBeyondDouble) warn_of_rounding(table, i, out.view().substr(value));
  return {};
}

Result<void> JsonWriter::write_image(Buffer& out, Table& table, const std::vector<ImageCell>& cells, Phase phase) {
  char separator = '{';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].present) continue;
    out.push(separator);
    separator = ',';
    if (auto written = write_cell(out, table, i, cells[i], phase); !written) return written;
  }
  if (separator == '{') out.push('{');
  out.push('}');
  return {};
}

// As the row is now; a column that the AFTER image leaves out is as it was. Keys are few and short: writing their
// values once more costs less than remembering where they stand.
Result<void> JsonWriter::write_key(Buffer& out, Table& table, const RowChangeView& change, Phase phase) {
  out.append(R"(,"key":)");
  if (!table.has_key) {
    out.append("null");
    return {};
  }
  char separator = '{';
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].primary_key) continue;
    const bool in_after = change.after.present && images_.after()[i].present;
    if (!in_after && !(change.before.present && images_.before()[i].present)) continue;
    out.push(separator);
    separator = ',';
    const ImageCell& cell = in_after ? images_.after()[i] : images_.before()[i];
    if (auto written = write_cell(out, table, i, cell, phase); !written) return written;
  }
  if (separator == '{') out.push('{');
  out.push('}');
  return {};
}

// Once told, the column is one like any other on this shard.
void JsonWriter::warn_of_rounding(Table& table, std::size_t i, std::string_view digits) {
  Column& column = table.columns[i];
  column.kind = column.kind == ValueKind::kBigBit ? ValueKind::kBit : ValueKind::kInteger;
  const auto name = fmt::format("{}.{}.{}", table.keyspace, table.name, column.name);
  if (!options_.log || !warned_of_.insert(name).second) return;
  options_.log(
      LogLevel::kWarning,
      fmt::format("column \"{}\" of table \"{}.{}\" holds {}: JavaScript and jq before 1.7 round numbers beyond "
                  "2^53; --as bigint=string prints strings",
                  column.name, table.keyspace, table.name, digits));
}

void JsonWriter::write_names(Buffer& out, const Table& table, std::string_view key, ColumnMark mark) {
  if ((images_.marks().all() & mark) == 0) return;
  out.append(key);
  char separator = '[';
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!images_.marks().has(i, mark)) continue;
    out.push(separator);
    separator = ',';
    out.append(std::string_view(table.columns[i].key).substr(0, table.columns[i].key.size() - 1));
  }
  out.push(']');
}

void JsonWriter::write_json_diffs(Buffer& out, const Table& table) {
  out.append(R"(,"json_diff":)");
  char separator = '{';
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!images_.marks().has(i, kJsonDiff)) continue;
    out.push(separator);
    separator = ',';
    out.append(table.columns[i].key);
    append_text(out, images_.after()[i].bytes, Charset::kUtf8);
  }
  out.push('}');
}

void JsonWriter::write_notes(Buffer& out, const Table& table) {
  write_names(out, table, R"(,"base64":)", kBase64);
  write_names(out, table, R"(,"lossy":)", kLossy);
  write_names(out, table, R"(,"json_null":)", kJsonNull);
  write_names(out, table, R"(,"partial":)", kPartial);
  if ((images_.marks().all() & kJsonDiff) != 0) write_json_diffs(out, table);
}

Result<void> JsonWriter::row(Buffer& out, Table& table, const RowChangeView& change, const RowContext& context) {
  auto done = images_.read(table, change, context);
  if (!done) return done;
  const std::size_t start = out.size();
  const Phase phase = context.timestamp == 0 ? Phase::kCopy : Phase::kBinlog;
  out.append(head_of(change, context));
  out.append(table.head);
  if (context.timestamp != 0) {
    out.append(R"(,"ts_ms":)");
    append_number(out, context.timestamp * 1000);
  }
  if (!context.gtid.empty()) {
    out.append(R"(,"gtid":)");
    append_json_string(out, context.gtid);
  }
  out.append(R"(,"n":)");
  append_number(out, static_cast<long long>(context.n));
  if (change.before.present) {
    out.append(R"(,"before":)");
    done = write_image(out, table, images_.before(), phase);
  }
  if (done && change.after.present) {
    out.append(R"(,"after":)");
    done = write_image(out, table, images_.after(), phase);
  }
  if (!done) {
    out.truncate(start);
    return done;
  }
  if (images_.marks().all() != 0) write_notes(out, table);
  if (options_.key) {
    if (done = write_key(out, table, change, phase); !done) {
      out.truncate(start);
      return done;
    }
  }
  out.append("}\n");
  return {};
}

Result<void> JsonWriter::reshard(Buffer& out, const Journal& journal, bool whole_shards) {
  const auto parts = lineage(journal);
  if (!parts) return std::unexpected(parts.error());
  append_reshard_line(out, journal, whole_shards, *parts);
  return {};
}

}  // namespace vstream
