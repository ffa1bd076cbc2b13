#include "simulator/table_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vstream::simulator {
namespace {

// Bits of Field.flags (Vitess' query.proto, MySqlFlag).
constexpr std::uint32_t kNotNull = 1, kPrimaryKey = 2, kUniqueKey = 4, kBlob = 16, kUnsigned = 32, kBinaryFlag = 128,
                        kEnumFlag = 256, kAutoIncrement = 512, kNoDefault = 4096, kPartKey = 16384, kNumber = 32768;
constexpr std::uint32_t kRequired = kNotNull | kNoDefault;

// Collation ids: utf8mb4_0900_ai_ci, and binary for everything that is not text.
constexpr std::uint32_t kUtf8mb4 = 255, kBinaryCharset = 63;
constexpr std::uint32_t kBytesPerCharacter = 4;

struct Column {
  const char* name;
  const char* column_type;
  query::Type type;
  std::uint32_t length;  // bytes, or digits and signs of a number
  std::uint32_t flags;
  std::uint32_t charset = kBinaryCharset;
  std::uint32_t decimals = 0;
};

Column key(const char* name) {
  return {name, "bigint", query::INT64, 20, kRequired | kPrimaryKey | kPartKey | kNumber};
}
Column auto_key(const char* name) {
  return {name, "bigint", query::INT64, 20, kNotNull | kPrimaryKey | kAutoIncrement | kPartKey | kNumber};
}
Column bigint(const char* name, std::uint32_t flags) { return {name, "bigint", query::INT64, 20, flags | kNumber}; }
Column text(const char* name, const char* column_type, query::Type type, std::uint32_t characters,
            std::uint32_t flags) {
  return {name, column_type, type, characters * kBytesPerCharacter, flags, kUtf8mb4};
}
Column json(const char* name) { return {name, "json", query::JSON, UINT32_MAX, kBlob | kBinaryFlag}; }
Column price(const char* name) {
  return {name, "decimal(10,2)", query::DECIMAL, 12, kRequired | kNumber, kBinaryCharset, 2};
}

TableSchema table(std::string keyspace, std::string name, std::initializer_list<Column> columns) {
  TableSchema out{.keyspace = std::move(keyspace), .name = std::move(name), .fields = {}};
  for (const Column& column : columns) {
    query::Field& field = out.fields.emplace_back();
    field.set_name(column.name);
    field.set_type(column.type);
    field.set_table(out.name);
    field.set_org_table(out.name);
    field.set_database(fmt::format("vt_{}", out.keyspace));
    field.set_org_name(column.name);
    field.set_column_length(column.length);
    field.set_charset(column.charset);
    field.set_decimals(column.decimals);
    field.set_flags(column.flags);
    field.set_column_type(column.column_type);
    out.has_enum = out.has_enum || column.type == query::ENUM;
  }
  return out;
}

TableSchema product_table() {
  return table("commerce", "product",
               {auto_key("product_id"),
                text("sku", "varchar(16)", query::VARCHAR, 16, kRequired | kUniqueKey | kPartKey),
                text("name", "varchar(80)", query::VARCHAR, 80, kRequired),
                price("price"),
                {"stock", "int unsigned", query::UINT32, 10, kRequired | kUnsigned | kNumber},
                json("attributes"),
                bigint("supplier_id", 0),
                {"updated_at", "timestamp", query::TIMESTAMP, 19, kBinaryFlag}});
}

TableSchema supplier_table() {
  return table(
      "commerce", "supplier",
      {auto_key("supplier_id"), text("name", "varchar(80)", query::VARCHAR, 80, kRequired),
       text("country", "char(2)", query::CHAR, 2, kRequired), text("contact", "varchar(120)", query::VARCHAR, 120, 0)});
}

TableSchema customer_table() {
  return table("customer", "customer",
               {key("customer_id"),
                text("email", "varchar(128)", query::VARCHAR, 128, kRequired),
                text("full_name", "varchar(80)", query::VARCHAR, 80, kRequired),
                {"points", "int", query::INT32, 11, kRequired | kNumber},
                {"birthday", "date", query::DATE, 10, kBinaryFlag},
                {"token", "varbinary(8)", query::VARBINARY, 8, kBinaryFlag},
                {"created_at", "datetime", query::DATETIME, 19, kRequired | kBinaryFlag}});
}

TableSchema orders_table() {
  return table("customer", "orders",
               {key("order_id"),
                bigint("customer_id", kRequired),
                bigint("product_id", kRequired),
                {"quantity", "smallint unsigned", query::UINT16, 5, kRequired | kUnsigned | kNumber},
                price("total"),
                text("status", "enum('new','paid','shipped','cancelled')", query::ENUM, 9, kRequired | kEnumFlag),
                json("details"),
                {"placed_at", "datetime(6)", query::DATETIME, 26, kRequired | kBinaryFlag, kBinaryCharset, 6},
                {"shipped_at", "timestamp", query::TIMESTAMP, 19, kBinaryFlag}});
}

}  // namespace

query::Field TableSchema::key_field() const {
  query::Field key;
  key.set_name(fields.front().name());
  key.set_type(fields.front().type());
  key.set_charset(fields.front().charset());
  key.set_flags(fields.front().flags());
  return key;
}

const ShopSchema& shop_schema() {
  static const ShopSchema kSchema{product_table(), supplier_table(), customer_table(), orders_table()};
  return kSchema;
}

}  // namespace vstream::simulator
