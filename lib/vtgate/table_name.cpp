#include "vtgate/table_name.h"

#include <re2/re2.h>

namespace vstream {

TableKind table_kind(std::string_view name) {
  if (!name.starts_with('_')) return TableKind::kOrdinary;
  // [0-f] as Vitess writes it, which is more than hexadecimal digits.
  static const re2::RE2 kNeverStreamed(
      "_vt_[a-zA-Z0-9]{3}_[0-f]{32}_[0-9]{14}_"
      "|_[0-f]{8}_[0-f]{4}_[0-f]{4}_[0-f]{4}_[0-f]{12}_[0-9]{14}_(gho|ghc|del|new|vrepl)"
      "|_.*_old");
  static const re2::RE2 kShadow("_vt_.*|_.+_(gho|ghc|del|new)");
  const re2::StringPiece text(name.data(), name.size());
  if (re2::RE2::FullMatch(text, kNeverStreamed)) return TableKind::kNeverStreamed;
  return re2::RE2::FullMatch(text, kShadow) ? TableKind::kShadow : TableKind::kOrdinary;
}

bool can_be_copied(std::string_view name) { return name.find('`') == std::string_view::npos; }

}  // namespace vstream
