#include "base/utf8.h"

#include <simdjson.h>

namespace vstream {

bool is_valid_utf8_slow(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace vstream
