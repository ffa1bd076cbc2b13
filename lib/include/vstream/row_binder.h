#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "vstream/error.h"
#include "vstream/row.h"

namespace vstream {

namespace binding {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// What a column can be bound to.
template <typename T>
concept Bindable = std::integral<T> || std::floating_point<T> || std::same_as<T, std::string>;

/// Reads `text` as a T. Returns why that cannot be, or nothing.
template <Bindable T>
std::string_view read(std::string_view text, T& out) {
  if constexpr (std::same_as<T, std::string>) {
    out = text;
    return {};
  } else if constexpr (std::same_as<T, bool>) {
    if (text != "0" && text != "1") return "is neither 0 nor 1";
    out = text == "1";
    return {};
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error == std::errc::result_out_of_range) return "does not fit the field's type";
    if (error != std::errc() || end != text.data() + text.size()) return "is no number of the field's type";
    return {};
  }
}

/// kDecode, naming the table, the column, and the value if there is one.
Error cannot_bind(const TableInfo& table, std::string_view column, std::string_view why,
                  std::optional<std::string_view> value = {});

/// The value of a column in an image, if it can be bound: exact, and there. Null: SQL NULL.
Result<const Value*> value_of(const TableInfo& table, std::span<const Value> image, std::string_view column);

}  // namespace binding

/// Turns images of rows into structs:
///
///     const auto customers = RowBinder<Customer>()
///                                .field("customer_id", &Customer::id)
///                                .field("email", &Customer::email);   // std::optional<std::string>: may be NULL
///     const Result<Customer> customer = customers.bind(row);
///
/// A field may be an integer, bool (0 or 1), float, double, std::string (the value's text, whatever its type), or
/// std::optional of one of these, which takes NULL. Columns that are not bound are ignored.
///
/// Nothing is guessed. Errors (kDecode, naming table, column and value): the table has no such column, the image does
/// not hold it, NULL for a field that is no std::optional, a number that does not fit, a text that is not exact
/// (Value::lossy). T must be default constructible. Thread safe once its fields are named.
template <typename T>
class RowBinder {
 public:
  /// `column` is case-sensitive.
  template <typename Member>
  RowBinder& field(std::string column, Member T::* member) & {
    fields_.push_back([column = std::move(column), member](const TableInfo& table, std::span<const Value> image,
                                                           T& out) { return set(table, image, column, out.*member); });
    return *this;
  }
  template <typename Member>
  RowBinder&& field(std::string column, Member T::* member) && {
    return std::move(field(std::move(column), member));
  }

  /// The row as it is now: after the change, or, of a deleted one, before it.
  Result<T> bind(const RowChange& row) const {
    return bind_image(*row.table, row.op == RowOp::kDeleted ? row.before : row.after);
  }
  Result<T> bind_before(const RowChange& row) const { return bind_image(*row.table, row.before); }
  Result<T> bind_after(const RowChange& row) const { return bind_image(*row.table, row.after); }

 private:
  using Set = std::function<Result<void>(const TableInfo&, std::span<const Value>, T&)>;

  template <typename Member>
  static Result<void> set(const TableInfo& table, std::span<const Value> image, std::string_view column, Member& out) {
    auto value = binding::value_of(table, image, column);
    if (!value) return std::unexpected(std::move(value.error()));
    if constexpr (binding::IsOptional<Member>::value) {
      if (*value == nullptr) {
        out.reset();
        return {};
      }
      return read(table, column, (*value)->text, out.emplace());
    } else {
      if (*value == nullptr) return std::unexpected(binding::cannot_bind(table, column, "is NULL"));
      return read(table, column, (*value)->text, out);
    }
  }

  template <binding::Bindable Member>
  static Result<void> read(const TableInfo& table, std::string_view column, std::string_view text, Member& out) {
    const std::string_view why = binding::read(text, out);
    if (!why.empty()) return std::unexpected(binding::cannot_bind(table, column, why, text));
    return {};
  }

  Result<T> bind_image(const TableInfo& table, std::span<const Value> image) const {
    T out{};
    for (const Set& set_field : fields_) {
      if (auto done = set_field(table, image, out); !done) return std::unexpected(std::move(done.error()));
    }
    return out;
  }

  std::vector<Set> fields_;
};

}  // namespace vstream
