#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "encode/table.h"
#include "vtgate/column_collations.h"

namespace vstream {

/// Asks which collations the columns of a table have.
using CollationQuestion = std::function<Result<ColumnCollations>(std::string_view keyspace, std::string_view table)>;

/// The character sets that VTGate does not tell with a table's columns: it sends collation 0 for gbk, big5, gb18030,
/// tis620 and a few collations of others (seen on Vitess 24.0.4). Asks once for a table, and again when its columns are
/// others or a DDL ran. Not synchronised.
class TableCharsets {
 public:
  /// Without a question columns keep what they have.
  explicit TableCharsets(CollationQuestion ask) : ask_(std::move(ask)) {}

  /// Gives the columns that need one a character set. May block for as long as the question takes. A column whose
  /// answer cannot be true keeps what it has: then only plain ASCII is printed of it. Errors: those of the question.
  Result<void> complete(Table& table);
  /// A DDL ran: the next answers may be others.
  void forget() { answers_.clear(); }

 private:
  struct Answer {
    std::string about;  // the columns that it was asked for
    ColumnCollations collations;
  };

  CollationQuestion ask_;
  std::map<std::string, Answer, std::less<>> answers_;  // by `keyspace/table`
};

}  // namespace vstream
