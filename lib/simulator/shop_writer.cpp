#include "simulator/shop_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace vstream::simulator {
namespace {

constexpr std::int64_t kProducts = 12;
constexpr std::int64_t kFirstCustomers = 24;
constexpr int kFirstOrders = 20;
// The shop forgets old orders and takes no more customers than this, so that it can run for ever.
constexpr std::size_t kMostOrders = 2000;
constexpr std::int64_t kMostCustomers = 5000;
constexpr std::time_t kOpening = 1767258000;     // 2026-01-01 09:00:00 UTC
constexpr std::int64_t kTenYears = 315'360'000;  // seconds after which the shop's clock begins again, within TIMESTAMP

struct Supplier {
  std::string_view name, country, contact;
};
constexpr std::array<Supplier, 4> kSuppliers{{{"Kaffeerösterei Groß & Söhne", "DE", "einkauf@groß.example"},
                                              {"Herbata Żółty Słoń", "PL", ""},
                                              {"宇治茶園", "JP", "茶@uji.example"},
                                              {"O'Brien \"Best\" Biscuits", "IE", "orders@obrien.example"}}};
constexpr std::array<std::string_view, kProducts> kProductNames{
    "Café crème",  "Röstkaffee kräftig", "Grüner Tee",       "抹茶",          "Żurawinowa herbata", "Earl Grey",
    "Ginger Nuts", "Shortbread",         "Crème brûlée kit", "☕ Mug, large", "Teekanne 1,5 ℓ",     "Honig 🐝"};
constexpr std::array<std::string_view, 8> kFirstNames{"Zoë",  "Łukasz", "Jürgen", "Siobhán",
                                                      "花子", "Олена",  "José",   "Ada"};
constexpr std::array<std::string_view, 8> kLastNames{"Müller",   "Wójcik", "O'Neill",  "田中",
                                                     "Шевченко", "García", "Lovelace", "Smith"};
constexpr std::array<std::string_view, 4> kLanguages{"de", "en", "ja", "pl"};

std::string money(std::uint64_t cents) { return fmt::format("{}.{:02}", cents / 100, cents % 100); }

std::uint64_t cents(const std::string& money) {
  std::size_t point = money.find('.');
  return std::stoull(money.substr(0, point)) * 100 + std::stoull(money.substr(point + 1));
}

// Spreads consecutive ids over the shards, as a hash vindex does (it is not Vitess' hash).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

Change updated(const TableSchema& table, Row before, Row after) {
  return {.table = &table, .before = std::move(before), .after = std::move(after)};
}

}  // namespace

ShopWriter::ShopWriter(ShardLog& commerce, std::vector<ShardLog*> customer, std::uint64_t seed)
    : commerce_(commerce), customer_(std::move(customer)), random_(seed) {}

ShardLog& ShopWriter::shard_of(std::int64_t customer) const {
  return *customer_[mixed(static_cast<std::uint64_t>(customer)) % customer_.size()];
}

std::string ShopWriter::now(bool micros) {
  std::tm time = fmt::gmtime(kOpening + seconds_);
  std::string text = fmt::format("{:%Y-%m-%d %H:%M:%S}", time);
  if (micros) text += fmt::format(".{:06}", random(1'000'000));
  return text;
}

void ShopWriter::open_shop() {
  std::vector<Change> rows;
  for (std::size_t i = 0; i < kSuppliers.size(); ++i) {
    const Supplier& s = kSuppliers[i];
    Cell contact = s.contact.empty() ? Cell() : Cell(s.contact);
    rows.push_back({.table = &shop_schema().supplier,
                    .after = Row{std::to_string(i + 1), std::string(s.name), std::string(s.country), contact}});
  }
  commerce_.commit(std::exchange(rows, {}));
  for (std::size_t i = 0; i < kProductNames.size(); ++i) {
    Cell attributes;
    if (i % 3 != 2) attributes = fmt::format(R"({{"bio": {}, "tag": "№{}"}})", i % 2 == 0, i);
    rows.push_back(
        {.table = &shop_schema().product,
         .after = Row{std::to_string(i + 1), fmt::format("SKU-{:04}", 100 + i), std::string(kProductNames[i]),
                      money(150 + random(3000)), std::to_string(100 + random(400)), attributes,
                      std::to_string(i % kSuppliers.size() + 1), Cell()}});
  }
  commerce_.commit(std::move(rows));
  for (std::int64_t i = 0; i < kFirstCustomers; ++i) add_customer();
  for (int i = 0; i < kFirstOrders; ++i) place_orders();
}

std::size_t ShopWriter::step() {
  seconds_ = (seconds_ + 1 + static_cast<std::int64_t>(random(3))) % kTenYears;
  if (orders_.size() >= kMostOrders) return delete_order();
  std::uint64_t dice = random(100);
  if (dice < 50) return place_orders();
  if (dice < 78) return advance_order();
  if (dice < 84) return delete_order();
  if (dice < 90) return restock();
  if (dice < 94) return change_price();
  return last_customer_ < kMostCustomers ? add_customer() : place_orders();
}

std::size_t ShopWriter::add_customer() {
  std::int64_t id = ++last_customer_;
  Cell birthday;
  if (random(4) != 0) {
    std::uint64_t day = random(56 * 12 * 28);
    birthday = fmt::format("{:04}-{:02}-{:02}", 1950 + day / (12 * 28), 1 + day / 28 % 12, 1 + day % 28);
  }
  Cell token;
  if (random(3) != 0) {
    token.emplace();
    for (int i = 0; i < 8; ++i) token->push_back(static_cast<char>(random(256)));
  }
  std::uint64_t name = random(64);
  shard_of(id).commit(
      {{.table = &shop_schema().customer,
        .after = Row{std::to_string(id), fmt::format("customer{}@shop.example", id),
                     fmt::format("{} {}", kFirstNames[name / 8], kLastNames[name % 8]), "0", birthday, token, now()}}});
  return 1;
}

// One customer orders one to three products, and gets points for it; the stock of one product goes down.
std::size_t ShopWriter::place_orders() {
  auto customer = static_cast<std::int64_t>(1 + random(static_cast<std::uint64_t>(last_customer_)));
  ShardLog& shard = shard_of(customer);
  std::vector<Change> changes;
  std::int64_t product = 0;
  for (std::uint64_t i = 0, n = 1 + random(3); i < n; ++i) {
    product = static_cast<std::int64_t>(1 + random(kProducts));
    std::uint64_t quantity = 1 + random(4);
    std::uint64_t price = cents(commerce_.find(shop_schema().product, product).value()[kPrice].value());
    Cell details;
    if (random(3) != 0) {
      std::uint64_t kind = random(8);
      details = fmt::format(R"({{"gift": {}, "lang": "{}"}})", kind < 4, kLanguages[kind % 4]);
    }
    changes.push_back(
        {.table = &shop_schema().orders,
         .after = Row{std::to_string(++last_order_), std::to_string(customer), std::to_string(product),
                      std::to_string(quantity), money(price * quantity), "new", details, now(true), Cell()}});
    orders_.push_back({&shard, last_order_});
  }
  Row before = shard.find(shop_schema().customer, customer).value();
  Row after = before;
  after[kPoints] = std::to_string(std::stoll(before[kPoints].value()) + static_cast<std::int64_t>(changes.size()));
  changes.push_back(updated(shop_schema().customer, std::move(before), std::move(after)));
  std::size_t rows = changes.size();
  shard.commit(std::move(changes));

  Row stock = commerce_.find(shop_schema().product, product).value();
  if (stock[kStock] == "0") return rows;
  Row less = stock;
  less[kStock] = std::to_string(std::stoll(stock[kStock].value()) - 1);
  less[kProductUpdatedAt] = now();
  commerce_.commit({updated(shop_schema().product, std::move(stock), std::move(less))});
  return rows + 1;
}

// new → paid → shipped; now and then cancelled.
std::size_t ShopWriter::advance_order() {
  if (orders_.empty()) return place_orders();
  OrderRef order = orders_[random(orders_.size())];
  Row before = order.shard->find(shop_schema().orders, order.id).value();
  Row after = before;
  if (before[kStatus] == "new") {
    after[kStatus] = random(8) == 0 ? "cancelled" : "paid";
  } else if (before[kStatus] == "paid") {
    after[kStatus] = "shipped";
    after[kShippedAt] = now();
  } else {
    return place_orders();
  }
  order.shard->commit({updated(shop_schema().orders, std::move(before), std::move(after))});
  return 1;
}

std::size_t ShopWriter::delete_order() {
  if (orders_.empty()) return place_orders();
  OrderRef order = orders_.front();
  orders_.pop_front();
  order.shard->commit({{.table = &shop_schema().orders, .before = order.shard->find(shop_schema().orders, order.id)}});
  return 1;
}

std::size_t ShopWriter::restock() {
  std::vector<Change> changes;
  auto first = static_cast<std::int64_t>(1 + random(kProducts - 2));
  for (std::int64_t id = first; id < first + 3; ++id) {
    Row before = commerce_.find(shop_schema().product, id).value();
    Row after = before;
    after[kStock] = std::to_string(100 + random(400));
    after[kProductUpdatedAt] = now();
    changes.push_back(updated(shop_schema().product, std::move(before), std::move(after)));
  }
  commerce_.commit(std::move(changes));
  return 3;
}

std::size_t ShopWriter::change_price() {
  auto id = static_cast<std::int64_t>(1 + random(kProducts));
  Row before = commerce_.find(shop_schema().product, id).value();
  Row after = before;
  after[kPrice] = money(150 + random(3000));
  after[kProductUpdatedAt] = now();
  commerce_.commit({updated(shop_schema().product, std::move(before), std::move(after))});
  return 1;
}

}  // namespace vstream::simulator
