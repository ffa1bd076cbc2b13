#include "random_history.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace vstream::property {
namespace {

// Of a table. Keys are drawn from twice as many, so that deleted ones come again.
constexpr std::size_t kMostRows = 40;

constexpr std::uint32_t kNotNull = 1;
constexpr std::uint32_t kPrimaryKey = 2;
constexpr std::uint32_t kPartOfKey = 16384;
constexpr std::uint32_t kKeyFlags = kNotNull | kPrimaryKey | kPartOfKey;

Column integer(std::string name, std::uint32_t flags = 0) {
  return {.name = std::move(name), .type = query::INT64, .column_type = "bigint", .flags = flags};
}

Column text(std::string name, std::uint32_t flags = 0) {
  return {
      .name = std::move(name), .type = query::VARCHAR, .column_type = "varchar(400)", .charset = 255, .flags = flags};
}

Column bytes(std::string name) {
  return {.name = std::move(name), .type = query::VARBINARY, .column_type = "varbinary(100)", .flags = 128};
}

Table random_table(Random& random, std::string name) {
  Table table{.name = std::move(name), .columns = {}};
  switch (random.below(4)) {
    case 0: table.columns = {integer("x"), text("y")}; break;
    case 1:
      table.columns = {text("name", kKeyFlags), integer("value"), integer("part", kKeyFlags)};
      table.key = {2, 0};
      break;
    default:
      table.columns = {integer("id", kKeyFlags), text("te\"xt")};
      table.key = {0};
      break;
  }
  if (random.chance(30)) table.columns.push_back(bytes("bytes"));
  table.first_columns = table.columns.size();
  for (std::size_t more = random.below(3); more > 0; --more) {
    Column column = random.chance(50) ? integer("added" + std::to_string(more)) : text("added" + std::to_string(more));
    if (column.type == query::VARCHAR && random.chance(50)) column.default_value = "new";
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::vector<Table> random_tables(Random& random) {
  std::vector<std::string> names = {"t1", "t2", "T1", "we ird", "do.t", "back`tick", "ks.t1", "na\xC3\xAFve", "t10"};
  std::vector<Table> tables;
  for (std::size_t left = random.between(1, 4); left > 0; --left) {
    const auto name = names.begin() + static_cast<std::ptrdiff_t>(random.below(names.size()));
    tables.push_back(random_table(random, *name));
    names.erase(name);
  }
  for (std::size_t i = 1; i < tables.size(); ++i) tables[i].comes_later = random.chance(25);
  std::ranges::sort(tables, {}, &Table::name);
  return tables;
}

std::string random_uuid(Random& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uuid = "00000000-0000-0000-0000-000000000000";
  for (char& c : uuid) {
    if (c == '0') c = random.pick(kDigits);
  }
  return uuid;
}

/// The transactions that a shard's servers have had, as MySQL prints them.
class Executed {
 public:
  void add(const std::string& server, std::int64_t number) { servers_[server].insert(number); }
  std::string to_string() const {
    std::string out = "MySQL56/";
    for (const auto& [server, numbers] : servers_) {
      if (!out.ends_with('/')) out += ',';
      out += server;
      for (auto first = numbers.begin(); first != numbers.end();) {
        auto last = first;
        while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
        out += ':' + std::to_string(*first) + (first == last ? "" : '-' + std::to_string(*last));
        first = std::next(last);
      }
    }
    return out;
  }

 private:
  std::map<std::string, std::set<std::int64_t>> servers_;
};

/// Makes a shard's transactions, each on the rows that the ones before it left.
class ShardMaker {
 public:
  ShardMaker(Random& random, const std::vector<Table>& tables)
      : random_(random), tables_(tables), rows_(tables.size()) {}

  Shard make(std::string name) {
    Shard shard{.name = std::move(name), .first_rows = {}, .transactions = {}, .made = {}, .positions = {}};
    for (const Table& table : tables_) {
      columns_.push_back(table.first_columns);
      exists_.push_back(!table.comes_later);
    }
    shard.made.resize(tables_.size());
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      if (!exists_[table] || random_.chance(20)) continue;
      for (std::size_t left = random_.below(20); left > 0; --left) apply_change(insert(table), rows_[table]);
    }
    shard.first_rows = rows_;
    for (std::size_t left = random_.below(41); left > 0; --left) {
      if (random_.chance(10)) make_table(shard);
      shard.transactions.push_back(transaction());
    }
    while (make_table(shard)) {
    }
    number(shard);
    return shard;
  }

 private:
  Transaction transaction() {
    const std::size_t kind = random_.below(100);
    if (kind < 8) return ddl();
    if (kind < 13) return {.kind = Transaction::Kind::kOther};
    Transaction made;
    if (kind < 23) return made;
    const auto before = rows_;
    for (std::size_t left = random_.between(1, random_.chance(10) ? 30 : 5); left > 0; --left) {
      made.changes.push_back(change(existing_table()));
      apply_change(made.changes.back(), rows_[made.changes.back().table]);
    }
    if (kind < 28) {
      made.kind = Transaction::Kind::kRolledBack;
      rows_ = before;
    }
    return made;
  }

  /// The next table that comes later, if one is left.
  bool make_table(Shard& shard) {
    const auto next = std::ranges::find(exists_, false);
    if (next == exists_.end()) return false;
    *next = true;
    const auto table = static_cast<std::size_t>(next - exists_.begin());
    shard.transactions.push_back({.kind = Transaction::Kind::kDdl,
                                  .statement = "create table `" + tables_[table].name + "` (…)",
                                  .table = table,
                                  .makes_table = true});
    shard.made[table] = shard.end();
    return true;
  }

  std::size_t existing_table() {
    std::size_t table = random_.below(tables_.size());
    while (!exists_[table]) table = (table + 1) % tables_.size();
    return table;
  }

  Transaction ddl() {
    Transaction made{.kind = Transaction::Kind::kDdl, .statement = "create view v as select 1"};
    const std::size_t table = existing_table();
    if (columns_[table] == tables_[table].columns.size()) return made;
    const Column& column = tables_[table].columns[columns_[table]++];
    for (Row& row : rows_[table]) row.push_back(column.default_value);
    made.table = table;
    made.statement = "alter table `" + tables_[table].name + "` add column " + column.name + " " + column.column_type;
    return made;
  }

  Change change(std::size_t table) {
    std::vector<Row>& rows = rows_[table];
    const std::size_t kind = random_.below(100);
    if (rows.empty() || (kind < 35 && rows.size() < kMostRows)) return insert(table);
    const Row& row = random_.pick(rows);
    if (kind < 60) return {.table = table, .before = row};
    Row changed = new_row(table);
    const bool keeps_key = kind < 88 || !is_new_key(table, changed);
    for (const std::size_t column : tables_[table].key) {
      if (keeps_key) changed[column] = row[column];
    }
    if (changed == row) return {.table = table, .before = row};  // MySQL logs no update that changes nothing
    return {.table = table, .before = row, .after = std::move(changed)};
  }

  Change insert(std::size_t table) {
    Row row = new_row(table);
    while (!is_new_key(table, row)) row = new_row(table);
    return {.table = table, .after = std::move(row)};
  }

  bool is_new_key(std::size_t table, const Row& row) const {
    const auto& key = tables_[table].key;
    if (key.empty()) return true;
    return std::ranges::none_of(rows_[table], [&](const Row& other) {
      return std::ranges::all_of(key, [&](std::size_t column) { return other[column] == row[column]; });
    });
  }

  Row new_row(std::size_t table) {
    Row row;
    for (std::size_t i = 0; i < columns_[table]; ++i) row.push_back(new_cell(tables_[table], i));
    return row;
  }

  Cell new_cell(const Table& table, std::size_t column) {
    static const std::array<std::string, 7> kTexts = {
        "", "a", "b", "q\"u\\ote", "two\nlines", "\xE6\x97\xA5\xE6\x9C\xAC", "1"};
    const bool in_key = std::ranges::find(table.key, column) != table.key.end();
    if (!in_key && random_.chance(25)) return std::nullopt;
    switch (table.columns[column].type) {
      case query::VARCHAR: return in_key ? "k" + std::to_string(random_.below(12)) : random_.pick(kTexts);
      case query::VARBINARY: return std::string(random_.below(4), static_cast<char>(random_.below(256)));
      default: break;
    }
    // Few values in a table without a key: equal rows are its point.
    return std::to_string(random_.below(in_key ? 2 * kMostRows : table.has_key() ? 1000 : 3));
  }

  /// GTIDs, times and positions. A new server goes on after a reparent; on a replica the numbers may be out of order.
  void number(Shard& shard) {
    std::string server = random_uuid(random_);
    std::int64_t next = 1;
    Executed executed;
    for (std::size_t left = random_.between(1, 3); left > 0; --left) executed.add(server, next++);
    shard.positions.push_back(executed.to_string());
    std::optional<std::int64_t> left_out;
    std::int64_t time = 1'700'000'000;
    for (Transaction& transaction : shard.transactions) {
      if (!left_out && random_.chance(4)) {
        server = random_uuid(random_);
        next = random_.chance(70) ? 1 : 1000;
      }
      std::int64_t number = next;
      if (left_out) {
        number = *std::exchange(left_out, std::nullopt);
      } else if (random_.chance(5)) {
        left_out = next++;
        number = next++;
      } else {
        ++next;
      }
      executed.add(server, number);
      time += random_.chance(50) ? 1 : 0;
      transaction.gtid = server + ":" + std::to_string(number);
      transaction.time = time;
      shard.positions.push_back(executed.to_string());
    }
  }

  Random& random_;
  const std::vector<Table>& tables_;
  std::vector<std::vector<Row>> rows_;  // per table, now
  std::vector<std::size_t> columns_;    // per table, now
  std::vector<bool> exists_;            // per table, now
};

}  // namespace

History random_history(Random& random) {
  static const std::array<std::vector<std::string>, 3> kShards = {{{"0"}, {"-80", "80-"}, {"-40", "40-80", "80-"}}};
  History history{.keyspace = "ks", .tables = random_tables(random), .shards = {}};
  for (const std::string& shard : random.pick(kShards)) {
    history.shards.push_back(ShardMaker(random, history.tables).make(shard));
  }
  return history;
}

}  // namespace vstream::property
