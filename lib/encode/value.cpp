#include "encode/value.h"

#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "encode/json_string.h"
#include "encode/number.h"

namespace vstream {
namespace {

ValueNote note(bool written) { return written ? ValueNote::kNone : ValueNote::kInvalid; }
ValueNote note(TextFidelity fidelity) {
  return fidelity == TextFidelity::kExact ? ValueNote::kNone : ValueNote::kLossy;
}

// Between quotes.
template <typename Append>
ValueNote quoted(Buffer& out, std::string_view bytes, Append append) {
  const std::size_t start = out.size();
  out.push('"');
  if (!append(out, bytes)) {
    out.truncate(start);
    return ValueNote::kInvalid;
  }
  out.push('"');
  return ValueNote::kNone;
}

// Integers that may be too large for readers.
template <typename Append>
ValueNote watched(Buffer& out, std::string_view bytes, Append append) {
  const std::size_t start = out.size();
  if (!append(out, bytes)) return ValueNote::kInvalid;
  return is_beyond_double(out.view().substr(start)) ? ValueNote::kBeyondDouble : ValueNote::kNone;
}

void write_hex(Buffer& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  char* to = out.room(2 * bytes.size() + 2);
  *to++ = '"';
  for (const char byte : bytes) {
    *to++ = kDigits[static_cast<unsigned char>(byte) >> 4U];
    *to++ = kDigits[static_cast<unsigned char>(byte) & 15U];
  }
  *to++ = '"';
  out.end_at(to);
}

// OpenSSL takes lengths as int; pieces of a multiple of three need no padding between them.
constexpr std::size_t kBase64Piece = 3 * 4096;

ValueNote write_base64(Buffer& out, std::string_view bytes) {
  out.push('"');
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kBase64Piece);
    auto* const to = reinterpret_cast<unsigned char*>(out.room(piece.size() / 3 * 4 + 8));
    const int written =
        EVP_EncodeBlock(to, reinterpret_cast<const unsigned char*>(piece.data()), static_cast<int>(piece.size()));
    out.end_at(reinterpret_cast<const char*>(to) + written);
    bytes.remove_prefix(piece.size());
  }
  out.push('"');
  return ValueNote::kBase64;
}

// True if `text` has the shape of `pattern`, where 0 stands for a digit.
bool matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char p) { return p == '0' ? c >= '0' && c <= '9' : c == p; });
}

// "2026-11-30 14:30:14.273" → "2026-11-30T14:30:14.273Z"; a zero one stays as MySQL prints it.
bool write_timestamp(Buffer& out, std::string_view text) {
  constexpr std::string_view kPattern = "0000-00-00 00:00:00.000000";
  const bool has_fraction = text.size() > 20;
  if ((text.size() != 19 && !has_fraction) || text.size() > kPattern.size()) return false;
  if (!matches(text, kPattern.substr(0, text.size()))) return false;
  out.push('"');
  if (text.starts_with("0000-00-00")) {
    out.append(text);
  } else {
    out.append(text.substr(0, 10));
    out.push('T');
    out.append(text.substr(11));
    out.push('Z');
  }
  out.push('"');
  return true;
}

bool write_date_time(Buffer& out, std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == ':' || c == '.' || c == ' ';
  });
  if (text.empty() || !plain) return false;
  out.push('"');
  out.append(text);
  out.push('"');
  return true;
}

bool is_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A SET's bits as its labels in definition order; false if there is a bit without a label.
bool labels_of_bits(const Column& column, std::uint64_t bits, std::string& text) {
  for (std::size_t i = 0; i < 64; ++i) {
    if ((bits >> i & 1U) == 0) continue;
    if (i >= column.labels.size()) return false;
    if (!text.empty()) text += ',';
    text += column.labels[i];
  }
  return true;
}

using AppendText = TextFidelity (*)(Buffer& out, std::string_view bytes, Charset charset);

// Servers before v20 send ENUM as an index and SET as bits in the binlog. A label that is no number can only be text.
template <AppendText append>
ValueNote write_labels(Buffer& out, const Column& column, std::string_view bytes, Phase phase) {
  if (phase == Phase::kCopy) return note(append(out, bytes, column.charset));
  std::uint64_t value = 0;
  if (column.column_type.empty() && is_number(bytes, value)) return ValueNote::kInvalid;  // a number without labels
  if (!column.numeric_labels || !is_number(bytes, value)) return note(append(out, bytes, Charset::kUtf8));
  std::string text;
  if (column.is_set) {
    if (!labels_of_bits(column, value, text)) return ValueNote::kInvalid;
  } else if (value != 0) {  // 0 is MySQL's empty string for an invalid value
    if (value > column.labels.size()) return ValueNote::kInvalid;
    text = column.labels[value - 1];
  }
  return note(append(out, text, Charset::kUtf8));
}

// Numbers and times have nothing to escape between their quotes.
void strip_quotes(Buffer& out, std::size_t start) {
  std::string_view text = out.view().substr(start);
  if (!text.starts_with('"')) return;
  const std::string inside(text.substr(1, text.size() - 2));
  out.truncate(start);
  out.append(inside);
}

ValueNote write_vector(Buffer& out, std::string_view bytes) {
  bool finite = true;
  if (!append_vector(out, bytes, finite)) return ValueNote::kInvalid;
  return finite ? ValueNote::kNone : ValueNote::kLossy;
}

}  // namespace

ValueNote ValueWriter::write_json(Buffer& out, std::string_view text) {
  if (text == "null") {
    out.append(text);
    return ValueNote::kJsonNull;
  }
  if (json_.accepts(text)) {
    out.append(text);
    return ValueNote::kNone;
  }
  append_text(out, text, Charset::kUtf8);
  return ValueNote::kLossy;
}

// A label of a SET holds no comma: MySQL refuses it.
ValueNote ValueWriter::write_label_array(Buffer& out, const Column& column, std::string_view bytes, Phase phase) {
  labels_.clear();
  const ValueNote written = write_labels<append_plain_text>(labels_, column, bytes, phase);
  if (written == ValueNote::kInvalid) return written;
  std::string_view rest = labels_.view();
  out.push('[');
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    append_json_string(out, rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    out.push(',');
    rest.remove_prefix(comma + 1);
    if (rest.empty()) append_json_string(out, rest);  // the last label is the empty one
  }
  out.push(']');
  return written;
}

ValueNote ValueWriter::write(Buffer& out, const Column& column, std::string_view bytes, Phase phase) {
  switch (column.kind) {
    case ValueKind::kInteger: return note(append_integer(out, bytes));
    case ValueKind::kBigInteger: return watched(out, bytes, append_integer);
    case ValueKind::kIntegerString: return quoted(out, bytes, append_integer);
    case ValueKind::kDecimal: return quoted(out, bytes, append_decimal);
    case ValueKind::kDecimalNumber: return note(append_decimal(out, bytes));
    case ValueKind::kFloat: return note(append_float(out, bytes));
    case ValueKind::kDouble: return note(append_double(out, bytes));
    case ValueKind::kDateTime: return note(write_date_time(out, bytes));
    case ValueKind::kTimestamp: return note(write_timestamp(out, bytes));
    case ValueKind::kText: return note(append_text(out, bytes, column.charset));
    case ValueKind::kLabels: return write_labels<append_text>(out, column, bytes, phase);
    case ValueKind::kLabelArray: return write_label_array(out, column, bytes, phase);
    case ValueKind::kBase64: return write_base64(out, bytes);
    case ValueKind::kHex: write_hex(out, bytes); return ValueNote::kNone;
    case ValueKind::kJson: return write_json(out, bytes);
    case ValueKind::kJsonString: return note(append_text(out, bytes, Charset::kUtf8));
    case ValueKind::kBit: return note(append_bit(out, bytes));
    case ValueKind::kBigBit: return watched(out, bytes, append_bit);
    case ValueKind::kBitString: return quoted(out, bytes, append_bit);
    case ValueKind::kVector: return write_vector(out, bytes);
  }
  return ValueNote::kInvalid;
}

ValueNote ValueWriter::write_plain(Buffer& out, const Column& column, std::string_view bytes, Phase phase) {
  switch (column.kind) {
    case ValueKind::kText: return note(append_plain_text(out, bytes, column.charset));
    case ValueKind::kLabels: return write_labels<append_plain_text>(out, column, bytes, phase);
    case ValueKind::kBase64: out.append(bytes); return ValueNote::kNone;
    case ValueKind::kJson:
      if (bytes == "null" || json_.accepts(bytes)) {
        out.append(bytes);
        return ValueNote::kNone;
      }
      append_plain_text(out, bytes, Charset::kUtf8);
      return ValueNote::kLossy;
    case ValueKind::kBigInteger: return note(append_integer(out, bytes));
    case ValueKind::kBigBit: return note(append_bit(out, bytes));
    case ValueKind::kDecimal: return note(append_decimal(out, bytes));
    default: break;
  }
  const std::size_t start = out.size();
  const ValueNote written = write(out, column, bytes, phase);
  strip_quotes(out, start);
  return written;
}

}  // namespace vstream
