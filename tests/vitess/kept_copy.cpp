// A consumer made of the library, for the tests: copies a keyspace and follows it, prints rows as lines and keeps its
// checkpoint in a file. May be killed at any moment and started again.
//
//     kept_copy HOST:PORT KEYSPACE primary|replica CHECKPOINT_FILE
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "vstream/stream.h"

namespace {

using nlohmann::ordered_json;
using vstream::Result;

constexpr std::string_view kOps[] = {"c", "u", "d", "r"};

ordered_json image(const vstream::RowChange& row, std::span<const vstream::Value> values) {
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto text = values[i].get();
    ordered_json& value = object[row.table->columns[i].name];
    if (text && values[i].type == vstream::ValueType::kInteger) {
      value = std::stoll(std::string(*text));
    } else if (text) {
      value = *text;
    }
  }
  return object;
}

Result<void> print(const ordered_json& line) {
  if (std::puts(line.dump().c_str()) >= 0 && std::fflush(stdout) == 0) return {};
  return vstream::fail(vstream::ErrorCode::kOutput, "could not write");
}

Result<void> print_rows(const vstream::Flush& flush) {
  std::string lines;
  for (const vstream::RowChange& row : flush.rows) {
    ordered_json line = {{"type", "row"},
                         {"op", kOps[static_cast<int>(row.op)]},
                         {"keyspace", row.table->keyspace},
                         {"shard", row.table->shard},
                         {"table", row.table->name},
                         {"gtid", row.gtid},
                         {"n", row.n}};
    if (!row.before.empty()) line["before"] = image(row, row.before);
    if (!row.after.empty()) line["after"] = image(row, row.after);
    lines += line.dump() + "\n";
  }
  if (std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() && std::fflush(stdout) == 0) return {};
  return vstream::fail(vstream::ErrorCode::kOutput, "could not write");
}

// A file that is replaced as a whole.
class FileStore final : public vstream::Store {
 public:
  explicit FileStore(std::string path) : path_(std::move(path)) {}

  Result<std::optional<vstream::Checkpoint>> load() override {
    std::ifstream file(path_);
    if (!file) return std::nullopt;
    auto checkpoint = vstream::parse_checkpoint(std::string(std::istreambuf_iterator(file), {}));
    if (!checkpoint) return std::unexpected(std::move(checkpoint.error()));
    return *std::move(checkpoint);
  }
  Result<void> save(const vstream::Checkpoint& checkpoint) override {
    const std::string beside = path_ + ".new";
    std::ofstream file(beside);
    file << vstream::checkpoint_to_json(checkpoint);
    file.close();
    if (file && std::rename(beside.c_str(), path_.c_str()) == 0) return {};
    return vstream::fail(vstream::ErrorCode::kOutput, "could not save");
  }

 private:
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  FileStore store(argv[4]);
  vstream::StreamOptions options;
  options.connection.address = argv[1];
  options.keyspace = argv[2];
  options.tablet_type =
      std::string_view(argv[3]) == "primary" ? vstream::TabletType::kPrimary : vstream::TabletType::kReplica;
  options.on_flush = print_rows;
  options.min_flush_duration = std::chrono::milliseconds(0);
  options.from = vstream::StartAt{.kind = vstream::StartAt::Kind::kCopy};
  options.store = &store;
  options.hooks.copy_completed = [](std::string_view shard) {
    ordered_json line = {{"type", "copy_completed"}};
    if (!shard.empty()) line["shard"] = shard;
    return print(line);
  };
  options.hooks.copy_restarted = [](std::string_view shard, std::string_view table) {
    return print({{"type", "copy_restarted"}, {"shard", shard}, {"table", table}});
  };
  options.log = [](vstream::LogLevel, std::string_view text) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  };
  const auto end = vstream::Stream(std::move(options)).run();
  if (!end) std::fprintf(stderr, "kept_copy: %s\n", end.error().message.c_str());
  return end ? 0 : 1;
}
