#pragma once

#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// The forms in which values of some types are printed instead of their usual ones (docs/values.md): `--as`.
struct ValueForms {
  bool bigint_string = false;   ///< BIGINT, and BIT of more than 53 bits, as strings of digits
  bool decimal_number = false;  ///< DECIMAL as numbers
  bool timestamp_raw = false;   ///< TIMESTAMP as MySQL prints it
  bool binary_hex = false;      ///< BINARY, VARBINARY, BLOB, GEOMETRY as hexadecimal digits instead of base64
  bool json_string = false;     ///< JSON documents as strings
  bool set_array = false;       ///< SET as arrays of labels

  friend constexpr bool operator==(const ValueForms&, const ValueForms&) = default;
};

/// Reads `bigint=string,decimal=number`. Errors: kUsage, naming the part that is none of the forms above.
Result<ValueForms> parse_value_forms(std::string_view text);

}  // namespace vstream
