#include "vstream/flags.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace vstream {
namespace {

std::unexpected<Error> wrong(std::string_view name, std::string_view value, std::string_view want) {
  return fail(ErrorCode::kUsage, fmt::format("the flag {} cannot be \"{}\"", name, value),
              fmt::format("it is {}", want));
}

template <typename Number>
Result<void> set_number(Number& flag, std::string_view name, std::string_view value) {
  Number number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || std::cmp_less(number, 0)) {
    return wrong(name, value, "a number, 0 or more");
  }
  flag = number;
  return {};
}

Result<void> set_word(std::string& flag, std::string_view name, std::string_view value, std::string_view one,
                      std::string_view other) {
  if (value != one && value != other) return wrong(name, value, fmt::format("{} or {}", one, other));
  flag = value;
  return {};
}

// Flags that are set by other means.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOthers = {
    {{"heartbeat_interval", "it is --heartbeat-interval"},
     {"cells", "it is --cells"},
     {"cell_preference", "it is --cell-preference"},
     {"stream_keyspace_heartbeats", "it is --stream-keyspace-heartbeats"},
     {"stop_on_reshard", "vstream sees a reshard by its journal"},
     {"include_reshard_journal_events", "vstream needs the journals"},
     {"tables_to_copy", "select the tables, and say --from copy"},
     {"exclude_keyspace_from_table_name", "vstream prints names without their keyspace anyway"},
     {"tablet_type", "it is --tablet-type"}}};

}  // namespace

Result<void> StreamFlags::set(std::string_view name, std::string_view value) {
  if (name == "minimize_skew") {
    if (value != "true" && value != "false") return wrong(name, value, "true or false");
    minimize_skew = value == "true";
    return {};
  }
  if (name == "transaction_chunk_size") return set_number(transaction_chunk_size, name, value);
  if (name == "max_stream_age_seconds") return set_number(max_stream_age_seconds, name, value);
  if (name == "tablet_order") return set_word(tablet_order, name, value, "any", "inorder");
  for (const auto& [other, means] : kOthers) {
    if (other == name) {
      return fail(ErrorCode::kUsage, fmt::format("the flag {} is set by vstream itself", name), std::string(means));
    }
  }
  return fail(ErrorCode::kUsage, fmt::format("VTGate has no flag \"{}\" that vstream knows", name),
              "they are: minimize_skew, transaction_chunk_size, max_stream_age_seconds, tablet_order");
}

Result<void> StreamFlags::check(std::chrono::milliseconds liveness) const {
  if (transaction_chunk_size != 0 && liveness.count() == 0) {
    return fail(ErrorCode::kUsage, "transaction_chunk_size needs a liveness timeout",
                "when a tablet dies inside a chunked transaction VTGate hangs for good, heartbeats going on");
  }
  std::string other;
  if (!cell_preference.empty()) {
    auto preference = set_word(other, "cell_preference", cell_preference, "preferlocalwithalias", "onlyspecified");
    if (!preference) return preference;
  }
  if (cell_preference == "onlyspecified" && cells.empty()) {
    return fail(ErrorCode::kUsage, "the cell preference onlyspecified needs cells");
  }
  return {};
}

}  // namespace vstream
