#pragma once

#include <string_view>

#include "encode/buffer.h"

namespace vstream {

/// Each writes a value that arrived as text (or, for BIT and VECTOR, as bytes) as a JSON number (VECTOR: an array of
/// them), and returns false, having written nothing, when the bytes are not such a value. (VTGate's forms:
/// docs/values.md.)

/// "-5", "007" → digits without leading zeros.
[[nodiscard]] bool append_integer(Buffer& out, std::string_view text);
/// ".10", "-.5", "1.50" → exact digits, at least one of them before the point; "" is 0, which is what old servers send
/// for a DECIMAL(n,0) of zero.
[[nodiscard]] bool append_decimal(Buffer& out, std::string_view text);
/// "3.99E+00" → the shortest number that reads back the same float.
[[nodiscard]] bool append_float(Buffer& out, std::string_view text);
/// The same for double.
[[nodiscard]] bool append_double(Buffer& out, std::string_view text);
/// One to eight bytes, big-endian → a number.
[[nodiscard]] bool append_bit(Buffer& out, std::string_view bytes);
/// float32, little-endian → an array. JSON has no NaN or infinity: such an element is written as a string, and `finite`
/// is set to false.
[[nodiscard]] bool append_vector(Buffer& out, std::string_view bytes, bool& finite);
/// True if an integer that one of these functions wrote is beyond ±2^53: who reads numbers as doubles may round it.
bool is_beyond_double(std::string_view digits);
/// An integer of our own.
void append_number(Buffer& out, long long number);

}  // namespace vstream
