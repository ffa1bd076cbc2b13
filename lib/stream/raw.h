#pragma once

#include <string_view>

#include "encode/buffer.h"
#include "vstream/error.h"

namespace vstream {

/// Appends one serialized VStreamResponse as a line of protobuf JSON: what `simulate --replay` reads and a bug report
/// needs. Fields that our .proto files do not know are left out; in a statement that is not UTF-8 every byte that is
/// not ASCII becomes `?`, because JSON has no place for it. Errors: kDecode.
Result<void> append_raw_line(Buffer& out, std::string_view response);

}  // namespace vstream
