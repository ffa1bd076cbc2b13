#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "binlogdata.pb.h"

namespace vstream::reference {

/// What is known of a table of one shard.
struct Table {
  std::vector<query::Field> fields;
  bool had_partial_after = false;  ///< an AFTER image lacked columns: NULL blobs in BEFORE images mean nothing then
};

/// One change as JSON. Which images are there tells what kind of change it is.
struct Change {
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::string lists;     ///< what follows the images: `,"base64":["a"]` and so on, or ""
  bool partial = false;  ///< a column was absent from an image, or came as the difference of two JSON documents
};

/// Takes a row change apart by its table's fields; `copied`: it is of a copy. Remembers in `table` that an AFTER image
/// was partial. The error says what cannot be decoded.
std::expected<Change, std::string> read_change(const binlogdata::RowChange& change, Table& table, bool copied);

}  // namespace vstream::reference
