#pragma once

#include <cstdint>
#include <string_view>

namespace vstream {

/// What a table's name says about who made it.
enum class TableKind : std::uint8_t {
  kOrdinary,
  /// A helper of a schema change beside the table that it is about: gh-ost's `_t_gho`, `_t_ghc`, `_t_del`,
  /// pt-online-schema-change's `_t_new`; also whatever else begins with `_vt_`.
  kShadow,
  /// Tablets leave changes of tables with such a name out of every stream: those of Vitess' own garbage collector and
  /// schema changes, and `_t_old` (go/vt/schema/name.go, online_ddl.go; used by vstreamer.go). They do copy them.
  kNeverStreamed
};

TableKind table_kind(std::string_view name);

/// False for a name with a backtick: the tablet fails to quote it in a copy, VTGate tries again for ever, and nobody is
/// told (seen on 24.0.4). Its changes are streamed well.
bool can_be_copied(std::string_view name);

}  // namespace vstream
