// Keeps a copy of the demo shop's table customer.orders in a SQLite file: copies it once, then follows its changes, and
// goes on where it was when it is started again, also in the middle of the copy.
//
//     vstream simulate --listen 127.0.0.1:15991 &
//     materialise 127.0.0.1:15991 orders.db [--until-copied]
//
// Rows are written by key, so that a row that comes twice (after a crash) does no harm.
#include <sqlite3.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stop_on_signal.h"
#include "vstream/row_binder.h"
#include "vstream/stream.h"

namespace {

using vstream::Result;

struct Order {
  std::int64_t id = 0;
  std::int64_t customer_id = 0;
  int quantity = 0;
  std::string total;  // a decimal, exact
  std::string status;
  std::optional<std::string> shipped_at;
};

const auto kOrders = vstream::RowBinder<Order>()
                         .field("order_id", &Order::id)
                         .field("customer_id", &Order::customer_id)
                         .field("quantity", &Order::quantity)
                         .field("total", &Order::total)
                         .field("status", &Order::status)
                         .field("shipped_at", &Order::shipped_at);

using Database = std::unique_ptr<sqlite3, decltype([](sqlite3* db) { sqlite3_close(db); })>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype([](sqlite3_stmt* statement) { sqlite3_finalize(statement); })>;

/// The SQLite file: the rows, and where the stream goes on.
class OrdersFile final : public vstream::Store {
 public:
  Result<void> open(const char* path) {
    sqlite3* db = nullptr;
    const int opened = sqlite3_open(path, &db);
    db_.reset(db);
    if (opened != SQLITE_OK) return failed();
    return run(
        "create table if not exists orders (order_id integer primary key, customer_id integer, quantity integer, "
        "total text, status text, shipped_at text);"
        "create table if not exists checkpoint (id integer primary key check (id = 1), record text)");
  }

  /// One transaction of SQLite for each flush.
  Result<void> write(const vstream::Flush& flush) {
    if (auto begun = run("begin"); !begun) return begun;
    for (const vstream::RowChange& row : flush.rows) {
      const auto order = kOrders.bind(row);
      const auto written = !order                               ? std::unexpected(order.error())
                           : row.op == vstream::RowOp::kDeleted ? erase(*order)
                                                                : put(*order);
      if (!written) {
        if (auto undone = run("rollback"); !undone) return undone;
        return written;
      }
    }
    return run("commit");
  }

  Result<std::optional<vstream::Checkpoint>> load() override {
    const Statement statement = prepare("select record from checkpoint");
    if (statement == nullptr) return std::unexpected(failed().error());
    if (sqlite3_step(statement.get()) != SQLITE_ROW) return std::nullopt;
    auto checkpoint = vstream::parse_checkpoint(text(statement, 0));
    if (!checkpoint) return std::unexpected(checkpoint.error());
    return *checkpoint;
  }

  Result<void> save(const vstream::Checkpoint& checkpoint) override {
    const Statement statement = prepare("insert or replace into checkpoint values (1, ?)");
    bind(statement, 1, vstream::checkpoint_to_json(checkpoint));
    return step(statement);
  }

 private:
  Result<void> put(const Order& order) {
    const Statement statement = prepare("insert or replace into orders values (?, ?, ?, ?, ?, ?)");
    sqlite3_bind_int64(statement.get(), 1, order.id);
    sqlite3_bind_int64(statement.get(), 2, order.customer_id);
    sqlite3_bind_int(statement.get(), 3, order.quantity);
    bind(statement, 4, order.total);
    bind(statement, 5, order.status);
    if (order.shipped_at) bind(statement, 6, *order.shipped_at);
    return step(statement);
  }
  Result<void> erase(const Order& order) {
    const Statement statement = prepare("delete from orders where order_id = ?");
    sqlite3_bind_int64(statement.get(), 1, order.id);
    return step(statement);
  }

  Statement prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db_.get(), sql, -1, &statement, nullptr);
    return Statement(statement);
  }
  static void bind(const Statement& statement, int place, const std::string& value) {
    sqlite3_bind_text(statement.get(), place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  static std::string text(const Statement& statement, int column) {
    const unsigned char* const value = sqlite3_column_text(statement.get(), column);
    return value != nullptr ? reinterpret_cast<const char*>(value) : "";
  }
  Result<void> step(const Statement& statement) {
    return sqlite3_step(statement.get()) == SQLITE_DONE ? Result<void>() : failed();
  }
  Result<void> run(const char* sql) {
    return sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>() : failed();
  }
  Result<void> failed() const {
    return vstream::fail(vstream::ErrorCode::kOutput, std::string("SQLite: ") + sqlite3_errmsg(db_.get()));
  }

  Database db_;
};

Result<vstream::StreamEnd> materialise(const char* address, const char* path, bool until_copied, std::stop_token stop) {
  OrdersFile file;
  if (auto opened = file.open(path); !opened) return std::unexpected(opened.error());
  vstream::StreamOptions options;
  options.connection.address = address;
  options.keyspace = "customer";
  options.tables = {{.name = "orders", .on_flush = [&](const vstream::Flush& flush) { return file.write(flush); }}};
  options.min_flush_duration = std::chrono::seconds(1);
  options.from = vstream::StartAt{.kind = vstream::StartAt::Kind::kCopy, .positions = {}};
  options.until_copy_completed = until_copied;
  options.store = &file;
  options.log = [](vstream::LogLevel level, std::string_view text) {
    if (level != vstream::LogLevel::kDebug) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  };
  return vstream::Stream(std::move(options)).run(std::move(stop));
}

}  // namespace

int main(int argc, char** argv) {
  const bool until_copied = argc == 4 && std::string_view(argv[3]) == "--until-copied";
  if (argc != 3 && !until_copied) {
    std::fprintf(stderr, "usage: materialise HOST:PORT FILE [--until-copied]\n");
    return 64;
  }
  const StopOnSignal signals;
  const auto end = materialise(argv[1], argv[2], until_copied, signals.token());
  if (!end) {
    std::fprintf(stderr, "materialise: %s\n%s\n", end.error().message.c_str(), end.error().hint.c_str());
    return 1;
  }
  std::printf("%llu rows, at %s\n", static_cast<unsigned long long>(end->rows),
              vstream::vgtid_to_short(end->position).c_str());
  return 0;
}
