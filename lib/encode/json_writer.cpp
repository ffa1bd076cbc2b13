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

Result<void> JsonWriter::write_image(Buffer& out, const Table& table, const std::vector<ImageCell>& cells,
                                     Phase phase) {
  char separator = '{';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ImageCell& cell = cells[i];
    if (!cell.present) continue;
    const Column& column = table.columns[i];
    out.push(separator);
    separator = ',';
    out.append(column.key);
    if (cell.null) {
      out.append("null");
      continue;
    }
    const ValueNote note = values_.write(out, column, cell.bytes, phase);
    if (note == ValueNote::kInvalid) {
      return row_mismatch(table, fmt::format("the value of column \"{}\" is not of its type", column.name));
    }
    if (note != ValueNote::kNone) images_.marks().add(i, mark_of(note));
  }
  if (separator == '{') out.push('{');
  out.push('}');
  return {};
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
