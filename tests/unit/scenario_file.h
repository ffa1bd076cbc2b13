#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "simulator_client.h"

namespace vstream::testing {

/// A scenario in a file, as long as this lives.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("vstream_scenario_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~ScenarioFile() { std::filesystem::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;

  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<Simulator> start_scenario(const std::string& text, LogHook log = {}) {
  const ScenarioFile file(text);
  return start({.scenario = file.path(), .log = std::move(log)});
}

/// A scenario of one keyspace "shop" with shard "0" and a table "product" of an id and a name, that plays `calls`.
inline std::string shop_scenario(const std::string& calls, const std::string& more = "") {
  return R"json({"keyspaces": {"shop": {"shards": ["0"],
                                        "tables": {"product": ["id bigint primary key", "name varchar(40)"]}}},
                 "calls": )json" +
         calls + more + "}";
}

/// "MySQL56/….:1-5" of that scenario's server.
inline std::string shop_gtid(const std::string& intervals) {
  return "MySQL56/00000000-0000-0000-0000-000000000101:" + intervals;
}

}  // namespace vstream::testing
