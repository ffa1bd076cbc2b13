#include "simulator/json_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace vstream::simulator {
namespace {

constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kMostQuoted = 80;

// The value itself, short enough for a message.
std::string quoted(const JsonNode::Json& json) {
  std::string text = json.dump(-1, ' ', false, JsonNode::Json::error_handler_t::replace);
  return text.size() > kMostQuoted ? text.substr(0, kMostQuoted) + "…" : text;
}

bool is_plain(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string joined(std::initializer_list<std::string_view> words) {
  std::string out;
  for (std::string_view word : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  return out;
}

}  // namespace

void Problems::add(const std::string& path, std::string_view what) {
  texts_.push_back(fmt::format("{}: {}", path, what));
}

std::string Problems::to_string() const {
  std::string out;
  for (std::size_t i = 0; i < std::min(texts_.size(), kMostProblems); ++i) out += (i == 0 ? "" : "\n") + texts_[i];
  if (texts_.size() > kMostProblems) out += fmt::format("\nand {} more", texts_.size() - kMostProblems);
  return out;
}

std::vector<JsonNode> JsonNode::items() const {
  std::vector<JsonNode> out;
  if (!json_->is_array()) {
    complain(fmt::format("{} is no list", quoted(*json_)));
    return out;
  }
  for (const Json& item : *json_) out.emplace_back(item, fmt::format("{}[{}]", path_, out.size()), *problems_);
  return out;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string, JsonNode>> out;
  if (!json_->is_object()) {
    complain(fmt::format("{} is no object", quoted(*json_)));
    return out;
  }
  for (const auto& [key, value] : json_->items()) {
    std::string path = is_plain(key) ? fmt::format("{}.{}", path_, key) : fmt::format("{}[\"{}\"]", path_, key);
    out.emplace_back(key, JsonNode(value, std::move(path), *problems_));
  }
  return out;
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return JsonNode(*json_->find(key), fmt::format("{}.{}", path_, key), *problems_);
}

std::optional<JsonNode> JsonNode::need(std::string_view key) const {
  auto found = find(key);
  if (!found)
    complain(json_->is_object() ? fmt::format("\"{}\" is missing", key)
                                : fmt::format("{} is no object", quoted(*json_)));
  return found;
}

void JsonNode::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    value.complain(fmt::format("there is no \"{}\" here, only {}", key, joined(keys)));
  }
}

std::string JsonNode::text() const {
  if (json_->is_string()) return json_->get<std::string>();
  complain(fmt::format("{} is no text", quoted(*json_)));
  return "";
}

bool JsonNode::boolean() const {
  if (json_->is_boolean()) return json_->get<bool>();
  complain(fmt::format("{} is neither true nor false", quoted(*json_)));
  return false;
}

std::int64_t JsonNode::integer(std::int64_t least, std::int64_t most) const {
  bool small = json_->is_number_integer() && !(json_->is_number_unsigned() && json_->get<std::uint64_t>() > kMost);
  if (small && json_->get<std::int64_t>() >= least && json_->get<std::int64_t>() <= most) {
    return json_->get<std::int64_t>();
  }
  complain(most == kMost ? fmt::format("{} is no whole number of at least {}", quoted(*json_), least)
                         : fmt::format("{} is no whole number between {} and {}", quoted(*json_), least, most));
  return least;
}

std::chrono::milliseconds JsonNode::duration() const {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  constexpr std::int64_t kMostNumber = 1'000'000'000;  // a century of hours
  if (json_->is_string()) {
    const auto& text = json_->get_ref<const std::string&>();
    std::int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    auto unit = std::ranges::find(kUnits, std::string_view(end, text.data() + text.size()),
                                  &std::pair<std::string_view, std::int64_t>::first);
    if (error == std::errc() && number >= 0 && number <= kMostNumber && unit != kUnits.end()) {
      return std::chrono::milliseconds(number * unit->second);
    }
  }
  complain(fmt::format("{} is no duration: write \"500ms\", \"2s\", \"5m\" or \"1h\"", quoted(*json_)));
  return std::chrono::milliseconds(0);
}

std::size_t JsonNode::choice(std::initializer_list<std::string_view> choices) const {
  auto found = json_->is_string() ? std::ranges::find(choices, json_->get_ref<const std::string&>()) : choices.end();
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  complain(fmt::format("{} is none of {}", quoted(*json_), joined(choices)));
  return 0;
}

}  // namespace vstream::simulator
