#include "stream/ddl_table.h"

#include <algorithm>

#include "stream/sql_token.h"

namespace vstream {
namespace {

class DdlReader {
 public:
  explicit DdlReader(std::string_view statement) : rest_(statement) { advance(); }

  std::optional<std::string> table() {
    const bool create = take("CREATE");
    const bool drop = !create && take("DROP");
    const bool alter = !create && !drop && take("ALTER");
    if (!create && !drop && !alter) return take("TRUNCATE") ? truncated() : std::nullopt;
    take("TEMPORARY");
    if (!take("TABLE")) return std::nullopt;
    if (take("IF")) {
      take("NOT");
      if (!take("EXISTS")) return std::nullopt;
    }
    auto name = take_name();
    if (drop && token_.is(",")) return std::nullopt;
    if (alter && mentions_another()) return std::nullopt;
    return name;
  }

 private:
  std::optional<std::string> truncated() {
    take("TABLE");
    return take_name();
  }

  bool take(std::string_view upper) {
    if (!token_.is_word(upper)) return false;
    advance();
    return true;
  }

  std::optional<std::string> take_name() {
    std::optional<std::string> name;
    do {
      if (token_.kind != SqlToken::Kind::kWord && token_.kind != SqlToken::Kind::kQuotedName) return std::nullopt;
      name = token_.name();
      advance();
    } while (take_dot());
    return name;
  }

  bool take_dot() {
    if (!token_.is(".")) return false;
    advance();
    return true;
  }

  // RENAME TO, EXCHANGE PARTITION … WITH TABLE.
  bool mentions_another() {
    for (; token_.kind != SqlToken::Kind::kEnd; advance()) {
      if (token_.is_word("RENAME") || token_.is_word("EXCHANGE") || token_.kind == SqlToken::Kind::kBroken) return true;
    }
    return false;
  }

  void advance() {
    while (true) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
      // What MySQL executes inside /*! is no comment.
      if (!rest_.starts_with("/*") || rest_.starts_with("/*!")) break;
      const std::size_t end = rest_.find("*/", 2);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    }
    token_ = next_sql_token(rest_);
  }

  std::string_view rest_;
  SqlToken token_;
};

}  // namespace

std::optional<std::string> ddl_table(std::string_view statement) { return DdlReader(statement).table(); }

}  // namespace vstream
