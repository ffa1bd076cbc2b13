#pragma once

#include <optional>
#include <string>

#include "binlogdata.pb.h"

namespace vstream {

/// A copy's cursor from its bytes; nothing for bytes that are none, and for one that must not be sent: a tablet panics
/// over a cursor whose parts do not fit, and VTGate does not look (vitess#16479).
std::optional<binlogdata::TableLastPK> usable_cursor(const std::string& bytes);

/// True if a copy can go on behind the cursor: its fields are those of a key. Without one VTGate makes a cursor of all
/// columns, and loses rows behind it (seen on 24.0.4).
bool has_key(const binlogdata::TableLastPK& cursor);

/// True for a column of the primary key, or of the unique key without NULLs that stands in for it (MySQL's
/// PRI_KEY_FLAG).
bool is_key_column(std::uint32_t flags);

}  // namespace vstream
