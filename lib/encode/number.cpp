#include "encode/number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace vstream {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

bool take_sign(std::string_view& text) {
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

void strip_leading_zeros(std::string_view& digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
}

template <typename Float>
bool append_shortest(Buffer& out, std::string_view text) {
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return false;
  char* const to = out.room(32);
  out.end_at(std::to_chars(to, to + 32, value).ptr);
  return true;
}

void append_element(Buffer& out, float value) {
  if (std::isnan(value)) return out.append("\"NaN\"");
  if (std::isinf(value)) return out.append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  char* const to = out.room(32);
  out.end_at(std::to_chars(to, to + 32, value).ptr);
}

float element_at(std::string_view bytes, std::size_t i) {
  std::uint32_t bits = 0;
  for (unsigned b = 0; b < 4; ++b) {
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i * 4 + b])) << (8 * b);
  }
  return std::bit_cast<float>(bits);
}

}  // namespace

bool append_integer(Buffer& out, std::string_view text) {
  std::string_view digits = text;
  const bool negative = take_sign(digits);
  if (digits.empty() || !all_digits(digits)) return false;
  strip_leading_zeros(digits);
  if (negative && digits != "0") out.push('-');
  out.append(digits);
  return true;
}

bool append_decimal(Buffer& out, std::string_view text) {
  std::string_view rest = text;
  const bool negative = take_sign(rest);
  const std::size_t point = std::min(rest.find('.'), rest.size());
  std::string_view whole = rest.substr(0, point);
  const std::string_view fraction = rest.substr(point);  // with its point
  if (!all_digits(whole) || !all_digits(fraction.substr(fraction.empty() ? 0 : 1))) return false;
  if (whole.empty() && fraction.size() < 2 && !text.empty()) return false;
  strip_leading_zeros(whole);
  if (negative) out.push('-');
  out.append(whole.empty() ? "0" : whole);
  if (fraction.size() > 1) out.append(fraction);
  return true;
}

bool append_float(Buffer& out, std::string_view text) { return append_shortest<float>(out, text); }
bool append_double(Buffer& out, std::string_view text) { return append_shortest<double>(out, text); }

bool append_bit(Buffer& out, std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 8) return false;
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  char* const to = out.room(20);
  out.end_at(std::to_chars(to, to + 20, value).ptr);
  return true;
}

bool append_vector(Buffer& out, std::string_view bytes, bool& finite) {
  if (bytes.size() % 4 != 0) return false;
  const std::size_t count = bytes.size() / 4;
  finite = true;
  out.push('[');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = element_at(bytes, i);
    finite = finite && std::isfinite(value);
    if (i != 0) out.push(',');
    append_element(out, value);
  }
  out.push(']');
  return true;
}

bool is_beyond_double(std::string_view digits) {
  constexpr std::string_view kLargest = "9007199254740992";  // 2^53
  if (digits.size() < kLargest.size()) return false;
  take_sign(digits);
  return digits.size() > kLargest.size() || (digits.size() == kLargest.size() && digits > kLargest);
}

void append_number(Buffer& out, long long number) {
  char* const to = out.room(20);
  out.end_at(std::to_chars(to, to + 20, number).ptr);
}

}  // namespace vstream
