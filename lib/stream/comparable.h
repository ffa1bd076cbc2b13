#pragma once

#include <string_view>

#include "query.pb.h"

namespace vstream {

/// Why a tablet would compare a column with this literal (as the condition has it, with its quotes) in another way than
/// MySQL, and leave rows out without a word; empty if it would not. Each seen on 24.0.4: BIT columns are never equal to
/// anything, labels of ENUM and SET are no numbers, times are texts, and text is not translated between character sets.
/// `collation`: of the column, empty if it is no text or not known.
std::string_view why_not_comparable(query::Type type, std::string_view collation, std::string_view literal);

/// True if the literal has characters that are not ASCII, for which the collation matters.
bool depends_on_collation(std::string_view literal);

}  // namespace vstream
