#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vstream/error.h"
#include "vstream/tail.h"

namespace vstream::cli {

/// The options of `tail` as they were typed.
struct TailArguments {
  std::vector<std::string> selectors = {};
  std::vector<std::string> exclude = {};
  std::vector<std::string> where = {};
  std::vector<std::string> columns = {};
  std::string ops = {};
  bool internal_tables = false;
  std::string cells = {};
  std::string cell_preference = {};
  std::vector<std::string> vstream_flags = {};
  std::string address = "127.0.0.1:15991";
  std::string connect_timeout = "10s";
  std::string max_message_size = "64MiB";
  std::optional<std::string> from = {};
  std::optional<std::string> count = {};
  std::optional<std::string> until = {};
  bool exit_at_end = false;
  std::optional<std::string> duration = {};
  std::optional<std::string> idle_timeout = {};
  std::vector<std::string> skip = {};
  std::optional<std::string> file = {};
  std::string format = "native";
  std::string emit = {};
  std::optional<std::string> as = {};
  bool key = false;
  std::string tablet_type = "replica";
  std::string partial_images = "stop";
  std::string heartbeat_interval = "1s";
  std::string liveness_timeout = "10s";
  std::string startup_timeout = "5m";
  std::string shard_stall_timeout = "0s";
  bool stream_keyspace_heartbeats = false;
  std::string retry_for = "5m";
  bool retry_start = false;
  std::string shutdown_grace = "5s";
  std::string max_transaction_memory = "64MiB";
  std::string max_transaction_disk = "10GiB";
  std::optional<std::string> ready_file = {};
  std::string color = "auto";
  int quiet = 0;
  int verbose = 0;
};

/// `--shutdown-grace`. Errors: kUsage.
Result<std::chrono::milliseconds> parse_shutdown_grace(const TailArguments& arguments);

/// Reads them. Errors: kUsage and kInvalidPosition, naming the option and what is wrong with it; kInvalidFile for a
/// position file that cannot be read.
Result<TailOptions> parse_tail_options(const TailArguments& arguments);

/// The positions a user can give: `current`, `copy`, a VGTID, `@FILE` that holds one, `ks/shard@GTID,…`.
Result<StartAt> parse_from(const std::string& text);

/// `row,ddl`, `+commit,-ddl` (changes to the default), `all`.
Result<Lines> parse_emit(const std::string& text);

}  // namespace vstream::cli
