#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vstream::simulator {

/// What is wrong with a document, each with its place. Reading goes on after a fault, so that all are told at once.
class Problems {
 public:
  void add(const std::string& path, std::string_view what);
  bool none() const { return texts_.empty(); }
  /// The first few, one a line.
  std::string to_string() const;

 private:
  std::vector<std::string> texts_;
};

/// A value in a JSON document and where it stands: "$.calls[0][2].wait". Whatever does not fit is a problem, and a
/// harmless value is given in its place. The document and the problems outlive it.
class JsonNode {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  JsonNode(const Json& json, std::string path, Problems& problems)
      : json_(&json), path_(std::move(path)), problems_(&problems) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  void complain(std::string_view what) const { problems_->add(path_, what); }

  /// Of an array; none if it is something else.
  std::vector<JsonNode> items() const;
  /// Of an object, in the order of the document; none if it is something else.
  std::vector<std::pair<std::string, JsonNode>> members() const;

  bool has(std::string_view key) const { return json_->is_object() && json_->contains(key); }
  /// A member that may be missing.
  std::optional<JsonNode> find(std::string_view key) const;
  /// A member that must not.
  std::optional<JsonNode> need(std::string_view key) const;
  /// Every other member is a problem.
  void only(std::initializer_list<std::string_view> keys) const;

  std::string text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most = kMost) const;
  /// "500ms", "2s", "5m", "1h".
  std::chrono::milliseconds duration() const;

  /// The words of `choices`, in the same order as the values of an enumeration. 0 if it is none of them.
  std::size_t choice(std::initializer_list<std::string_view> choices) const;

 private:
  const Json* json_;
  std::string path_;
  Problems* problems_;
};

}  // namespace vstream::simulator
