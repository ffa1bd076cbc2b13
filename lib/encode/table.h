#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encode/column.h"
#include "vtgate/response.h"

namespace vstream {

/// What is known of a table on one shard, from its last FIELD event. Shards may run a DDL at different times, so each
/// has its own (vitess#8579).
struct Table {
  std::string keyspace = {};
  std::string shard = {};
  std::string name = {};  ///< bare: without the keyspace
  std::string head = {};  ///< `,"keyspace":…,"shard":…,"table":…`
  std::vector<Column> columns = {};
  bool has_key = false;  ///< a primary key, or a unique one that can take its place
  bool is_internal = false;
  /// Its columns are not all that the source has, so that bitmaps over the source's columns do not fit them.
  bool is_projected = false;
  /// An AFTER image of it missed columns, or its shard is not known to log whole rows: a NULL in a BEFORE image, which
  /// has no bitmap, may be a missing column.
  bool may_miss_columns = false;
};

/// Cuts the exact prefix `keyspace.` off: a bare name may hold dots itself.
std::string_view bare_table_name(std::string_view table_name, std::string_view keyspace);

/// True if both have the same columns, as far as a `fields` line tells.
bool same_columns(const Table& a, const Table& b);

/// Errors: those of make_column, with the table named; kDecode when two columns have one name.
Result<Table> make_table(const FieldEventView& field_event, const ValueForms& forms = {});

}  // namespace vstream
