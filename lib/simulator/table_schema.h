#pragma once

#include <string>
#include <vector>

#include "query.pb.h"

namespace vstream::simulator {

/// One table of the demo shop. The first column is its primary key, a bigint.
struct TableSchema {
  std::string keyspace;
  std::string name;                  ///< bare
  std::vector<query::Field> fields;  ///< as MySQL 9.7 and Vitess 24.0.4 describe such columns
  bool has_enum = false;

  /// The key column as a copy's cursor has it: name, type, charset and flags only.
  query::Field key_field() const;
};

/// The tables of the demo shop, and the places of the columns that its writer changes.
struct ShopSchema {
  TableSchema product;   ///< commerce
  TableSchema supplier;  ///< commerce
  TableSchema customer;  ///< customer
  TableSchema orders;    ///< customer
};

enum ProductColumn { kProductId, kSku, kProductName, kPrice, kStock, kAttributes, kSupplierId, kProductUpdatedAt };
enum SupplierColumn { kSupplierKey, kSupplierName, kCountry, kContact };
enum CustomerColumn { kCustomerId, kEmail, kFullName, kPoints, kBirthday, kToken, kCreatedAt };
enum OrderColumn {
  kOrderId,
  kOrderCustomer,
  kOrderProduct,
  kQuantity,
  kTotal,
  kStatus,
  kDetails,
  kPlacedAt,
  kShippedAt
};

const ShopSchema& shop_schema();

}  // namespace vstream::simulator
