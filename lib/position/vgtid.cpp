#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "position/position.h"
#include "position/text.h"
#include "vstream/position.h"

namespace vstream {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr int kMaxDepth = 16;  // array, entry, cursors, cursor, lastpk, fields, field
constexpr std::string_view kFormsHint = "give keyspace/shard@GTID[,…], or JSON as vstream prints it";

std::unexpected<Error> invalid(std::string message, std::string_view hint = {}) {
  return fail(ErrorCode::kInvalidPosition, std::move(message), std::string(hint));
}

/// Names stay clear of what the short form uses, of white space and of anything that is not printable ASCII.
bool is_name_char(char c) { return c > 0x20 && c < 0x7f && c != '/' && c != '@' && c != ','; }

bool is_name(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_name_char); }

bool is_word_current(std::string_view text) {
  auto same = [](char a, char b) { return (a | 0x20) == b; };
  return std::ranges::equal(text, std::string_view("current"), same);
}

/// One shard's position, checked and in its canonical form. `offset`: where `gtid` begins in what the user wrote.
Result<ShardPosition> make_entry(std::string_view keyspace, std::string_view shard, std::string_view gtid,
                                 std::size_t offset) {
  for (std::string_view name : {keyspace, shard}) {
    if (!is_name(name)) {
      return invalid(fmt::format("{} is not the name of a keyspace or shard", in_quotes(name)), kFormsHint);
    }
  }
  std::string where = fmt::format("{}/{}", keyspace, shard);
  if (gtid.empty()) return invalid(fmt::format("{} has no GTID", in_quotes(where)), "each shard needs a position");
  if (is_word_current(gtid)) {
    return invalid(fmt::format("\"current\" is not a position of {}", in_quotes(where)),
                   "a word stands alone: use current for all shards, or give each shard a position");
  }
  Result<Position> position = Position::parse(gtid, offset);
  if (!position) {
    Error error = std::move(position.error());
    error.message = fmt::format("invalid position of {}: {}", in_quotes(where), error.message);
    error.keyspace = keyspace;
    error.shard = shard;
    return std::unexpected(std::move(error));
  }
  if (position->flavor == "MySQL56" && position->set.empty()) {
    return invalid(fmt::format("the position of {} is empty", in_quotes(where)),
                   "it would ask for everything that ever happened; to begin with all rows use copy");
  }
  return ShardPosition{std::string(keyspace), std::string(shard), position->to_string()};
}

Result<Vgtid> checked(Vgtid vgtid) {
  if (vgtid.empty()) return invalid("the position names no shard", kFormsHint);
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const ShardPosition& entry : vgtid) names.emplace_back(entry.keyspace, entry.shard);
  std::ranges::sort(names);
  if (auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return invalid(fmt::format("the position names shard \"{}/{}\" twice", twice->first, twice->second));
  }
  return vgtid;
}

/// The length of "keyspace/shard@" at the beginning of `text`, after white space; 0 if something else is there.
std::size_t prefix_length(std::string_view text) {
  std::size_t i = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  for (char end : {'/', '@'}) {
    std::size_t begin = i;
    while (i < text.size() && is_name_char(text[i])) ++i;
    if (i == begin || i == text.size() || text[i] != end) return 0;
    ++i;
  }
  return i;
}

/// "keyspace/shard@GTID". A GTID set has commas of its own, so an entry ends only where the next one begins.
Result<ShardPosition> parse_short_entry(std::string_view text, std::size_t offset) {
  std::size_t prefix = prefix_length(text);
  std::string_view name = trimmed(text.substr(0, prefix));
  std::string_view gtid = trimmed(text.substr(prefix));
  std::size_t slash = name.find('/');
  std::string_view keyspace = name.substr(0, slash);
  std::string_view shard = name.substr(slash + 1, name.size() - slash - 2);
  if (gtid.empty() || is_word_current(gtid) || gtid.contains('/')) {
    return make_entry(keyspace, shard, gtid, offset + prefix);
  }
  constexpr std::string_view kFlavor = "MySQL56/";  // its bytes are not in the text, so offsets begin before it
  auto at = static_cast<std::size_t>(gtid.data() - text.data());
  return make_entry(keyspace, shard, fmt::format("{}{}", kFlavor, gtid), offset + at - kFlavor.size());
}

Result<Vgtid> parse_short(std::string_view text) {
  if (prefix_length(text) == 0) {
    return invalid(fmt::format("{} does not begin with keyspace/shard@", in_quotes(text)), kFormsHint);
  }
  Vgtid vgtid;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t comma = text.find(',', begin);
    while (comma != text.npos && prefix_length(text.substr(comma + 1)) == 0) comma = text.find(',', comma + 1);
    std::size_t end = std::min(comma, text.size());
    Result<ShardPosition> entry = parse_short_entry(text.substr(begin, end - begin), begin);
    if (!entry) return std::unexpected(std::move(entry.error()));
    vgtid.push_back(std::move(*entry));
    begin = end + 1;
  }
  return checked(std::move(vgtid));
}

/// The JSON value, or nothing if the text is not JSON or nests deeper than any VGTID does.
std::optional<json> parse_json(std::string_view text) {
  bool too_deep = false;
  auto watch = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  json value = json::parse(text, watch, /*allow_exceptions=*/false);
  if (value.is_discarded() || too_deep) return std::nullopt;
  return value;
}

/// The member that has one of these names; nullptr if there is none or it is null.
const json* member(const json& object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto found = object.find(name); found != object.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

Result<std::string_view> text_member(const json& entry, const char* name, std::size_t index) {
  const json* value = member(entry, {name});
  if (value == nullptr) return std::string_view();
  if (!value->is_string()) return invalid(fmt::format("entry {} of the position: \"{}\" is not a string", index, name));
  return value->get_ref<const std::string&>();
}

Result<ShardPosition> parse_json_entry(const json& entry, std::size_t index) {
  if (!entry.is_object())
    return invalid(fmt::format("entry {} of the position is not a JSON object", index), kFormsHint);
  std::string_view texts[3];
  const char* const names[3] = {"keyspace", "shard", "gtid"};
  for (std::size_t i = 0; i < 3; ++i) {
    Result<std::string_view> text = text_member(entry, names[i], index);
    if (!text) return std::unexpected(std::move(text.error()));
    if (text->empty() && i < 2) return invalid(fmt::format("entry {} of the position has no {}", index, names[i]));
    texts[i] = *text;
  }
  for (const char* name : {"tablePKs", "table_p_ks", "table_pks"}) {
    const json* cursors = member(entry, {name});
    if (cursors == nullptr || (cursors->is_array() && cursors->empty())) continue;
    return invalid(fmt::format("the position of \"{}/{}\" holds copy cursors (\"{}\")", texts[0], texts[1], name),
                   "a copy cannot be continued from a position; use --from copy, or take a position after the copy");
  }
  return make_entry(texts[0], texts[1], texts[2], 0);
}

Result<Vgtid> parse_json_form(std::string_view text) {
  std::optional<json> root = parse_json(text);
  if (!root) return invalid(fmt::format("{} is not valid JSON", in_quotes(text)), kFormsHint);
  const json* list = &*root;
  if (root->is_object()) list = member(*root, {"shardGtids", "shard_gtids"});
  if (list == nullptr || !list->is_array()) {
    return invalid("the position has no list of shards (\"shardGtids\")", kFormsHint);
  }
  Vgtid vgtid;
  for (const json& value : *list) {
    Result<ShardPosition> entry = parse_json_entry(value, vgtid.size());
    if (!entry) return std::unexpected(std::move(entry.error()));
    vgtid.push_back(std::move(*entry));
  }
  return checked(std::move(vgtid));
}

}  // namespace

Result<Vgtid> parse_vgtid(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return invalid(fmt::format("the position is too large: {} bytes, at most {} are read", text.size(), kMaxBytes));
  }
  std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (begin == text.size()) return invalid("the position is empty", kFormsHint);
  if (text[begin] == '[' || text[begin] == '{') return parse_json_form(text);
  return parse_short(text);
}

std::string vgtid_to_json(const Vgtid& vgtid) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ShardPosition& entry : vgtid) {
    list.push_back({{"keyspace", entry.keyspace}, {"shard", entry.shard}, {"gtid", entry.gtid}});
  }
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string vgtid_to_short(const Vgtid& vgtid) {
  std::string text;
  for (const ShardPosition& entry : vgtid) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}/{}@{}", entry.keyspace, entry.shard, entry.gtid);
  }
  return text;
}

}  // namespace vstream
