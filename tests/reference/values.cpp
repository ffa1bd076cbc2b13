#include "values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>

#include "text.h"

namespace vstream::reference {
namespace {

using Outcome = std::expected<Value, std::string>;

Outcome bad(const query::Field& field, std::string_view what) {
  return std::unexpected("column \"" + field.name() + "\": " + std::string(what));
}

Value text_value(const Text& text) { return {.json = json_string(text.utf8), .lossy = text.lossy}; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Exact digits, without the zeros that ZEROFILL and YEAR put in front.
Outcome integer(const query::Field& field, std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  if (!all_digits(digits)) return bad(field, "not an integer");
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return Value{.json = (negative && digits != "0" ? "-" : "") + std::string(digits)};
}

/// Old servers leave out the zero before the point, or send nothing at all for zero; ZEROFILL puts zeros in front in a
/// copy only.
Outcome decimal(const query::Field& field, std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view number = text.substr(negative ? 1 : 0);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  if (text.empty()) return Value{.json = "\"0\""};
  const bool good = point == number.npos ? all_digits(whole)
                                         : (whole.empty() || all_digits(whole)) && all_digits(number.substr(point + 1));
  if (!good) return bad(field, "not a decimal number");
  const std::size_t digit = std::min(whole.find_first_not_of('0'), whole.empty() ? 0 : whole.size() - 1);
  const std::string_view rest = number.substr(digit);
  return Value{.json = json_string((negative ? "-" : "") + std::string(whole.empty() ? "0" : "") + std::string(rest))};
}

template <typename Number>
std::string shortest(Number number) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

template <typename Number>
Outcome floating(const query::Field& field, std::string_view text) {
  Number number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(number)) {
    return bad(field, "not a number");
  }
  return Value{.json = shortest(number)};
}

Outcome bits(const query::Field& field, std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 8) return bad(field, "more than 64 bits");
  std::uint64_t number = 0;
  for (char c : bytes) number = number << 8 | static_cast<std::uint8_t>(c);
  return Value{.json = std::to_string(number)};
}

/// RFC 3339; VTGate sends "2026-11-30 14:30:14.273" in UTC.
Outcome timestamp(const query::Field& field, std::string_view text) {
  static const std::regex kForm(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?)");
  std::string shown(text);
  if (!std::regex_match(shown, kForm)) return bad(field, "not a timestamp");
  if (text.starts_with("0000-00-00")) return Value{.json = json_string(shown)};
  shown[10] = 'T';
  return Value{.json = json_string(shown + 'Z')};
}

/// How deep the arrays and objects of a valid document nest.
int depth_of(std::string_view document) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const char c = document[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

/// nlohmann skips a byte order mark and stops at a NUL; neither is JSON.
bool can_be_pasted(std::string_view text) {
  const bool foreign = text.starts_with("\xef\xbb\xbf") || text.find('\0') != text.npos;
  const bool breaks = text.find_first_of("\n\r") != text.npos;
  return !foreign && !breaks && !repair_utf8(text).lossy && nlohmann::json::accept(text) && depth_of(text) <= 1000;
}

Value document(std::string_view text) {
  if (!can_be_pasted(text)) return {.json = json_string(repair_utf8(text).utf8), .lossy = true};
  const bool null = nlohmann::json::parse(text).is_null();
  return {.json = std::string(text), .json_null = null};
}

/// Little-endian 32-bit floats.
Outcome vector(const query::Field& field, std::string_view bytes) {
  if (bytes.size() % 4 != 0) return bad(field, "not a whole number of floats");
  Value value{.json = "["};
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t pattern = 0;
    for (std::size_t k = 4; k-- > 0;) pattern = pattern << 8 | static_cast<std::uint8_t>(bytes[i + k]);
    const auto number = std::bit_cast<float>(pattern);
    if (i > 0) value.json += ',';
    if (std::isfinite(number)) {
      value.json += shortest(number);
    } else {
      value.json += std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
      value.lossy = true;
    }
  }
  value.json += ']';
  return value;
}

Value bytes_value(std::string_view bytes) { return {.json = json_string(base64(bytes)), .base64 = true}; }

}  // namespace

Outcome value_to_json(const query::Field& field, std::string_view bytes, bool copied) {
  switch (field.type()) {
    case query::INT8:
    case query::UINT8:
    case query::INT16:
    case query::UINT16:
    case query::INT24:
    case query::UINT24:
    case query::INT32:
    case query::UINT32:
    case query::INT64:
    case query::UINT64:
    case query::YEAR: return integer(field, bytes);
    case query::BIT: return bits(field, bytes);
    case query::DECIMAL: return decimal(field, bytes);
    case query::FLOAT32: return floating<float>(field, bytes);
    case query::FLOAT64: return floating<double>(field, bytes);
    case query::DATE:
    case query::DATETIME:
    case query::TIME:
      if (bytes.empty() || bytes.find_first_not_of("0123456789-:. ") != bytes.npos) return bad(field, "not a time");
      return text_value({std::string(bytes)});
    case query::TIMESTAMP: return timestamp(field, bytes);
    case query::JSON: return document(bytes);
    case query::VECTOR: return vector(field, bytes);
    case query::GEOMETRY: return bytes_value(bytes);
    default: break;
  }
  if (!copied && is_label_column(field)) return text_value(repair_utf8(bytes));
  return is_text_column(field) ? text_value(decode_text(field, bytes)) : bytes_value(bytes);
}

}  // namespace vstream::reference
