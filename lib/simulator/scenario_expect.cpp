#include "simulator/scenario_expect.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <utility>

#include "simulator/scenario_events.h"

namespace vstream::simulator {
namespace {

using Flag = google::protobuf::FieldDescriptor;

binlogdata::Rule whole_table(const std::string& table) {
  std::string name;
  for (char c : table) name.append(c == '`' ? 2 : 1, c);
  binlogdata::Rule rule;
  rule.set_match(table);
  rule.set_filter("select * from `" + name + "`");
  return rule;
}

// Reads one flag into the message; null and a problem if there is no such flag, or not with such a value.
const Flag* read_flag(const JsonNode& value, const std::string& name, vtgate::VStreamFlags& flags) {
  const Flag* flag = vtgate::VStreamFlags::descriptor()->FindFieldByName(name);
  if (flag == nullptr) {
    value.complain(fmt::format("VStreamFlags has no field \"{}\"", name));
    return nullptr;
  }
  vtgate::VStreamFlags one;
  const JsonNode::Json json = {{name, value.json()}};
  if (!google::protobuf::util::JsonStringToMessage(json.dump(), &one).ok()) {
    value.complain(fmt::format("\"{}\" cannot have this value", name));
    return nullptr;
  }
  flags.MergeFrom(one);
  return flag;
}

vtgate::VStreamFlags only(const vtgate::VStreamFlags& flags, const Flag& flag) {
  vtgate::VStreamFlags one = flags;
  for (int i = 0; i < flags.GetDescriptor()->field_count(); ++i) {
    const Flag* other = flags.GetDescriptor()->field(i);
    if (other != &flag) one.GetReflection()->ClearField(&one, other);
  }
  return one;
}

std::string cells_text(const query::Row& row) {
  std::string out;
  std::size_t at = 0;
  for (std::int64_t length : row.lengths()) {
    std::size_t size = length < 0 ? 0 : static_cast<std::size_t>(length);
    std::string_view cell = std::string_view(row.values()).substr(std::min(at, row.values().size()), size);
    out += fmt::format("{}{}", out.empty() ? "" : ", ", length < 0 ? "null" : cell);
    at += size;
  }
  return out;
}

std::string cursor_text(const binlogdata::TableLastPK& entry) {
  if (!entry.has_lastpk()) return fmt::format("\"{}\" by its name", entry.table_name());
  if (entry.lastpk().rows().empty()) return fmt::format("\"{}\" after no row", entry.table_name());
  return fmt::format("\"{}\" after ({})", entry.table_name(), cells_text(entry.lastpk().rows(0)));
}

std::string gtid_text(const std::string& gtid) {
  std::size_t slash = gtid.find('/');
  if (slash == gtid.npos) return gtid;
  auto set = GtidSet::parse(std::string_view(gtid).substr(slash + 1));
  return set ? gtid.substr(0, slash + 1) + set->to_string() : gtid;
}

std::string joined(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out.empty() ? "none" : out;
}

template <typename Positions>
std::string positions_text(const Positions& positions) {
  std::vector<std::string> parts;
  for (const binlogdata::ShardGtid& position : positions) {
    parts.push_back(fmt::format("{}/{} at {}", position.keyspace(), position.shard(), describe(position)));
  }
  return joined(std::move(parts));
}

template <typename Rules>
std::string rules_text(const Rules& rules) {
  std::vector<std::string> parts;
  for (const binlogdata::Rule& rule : rules) parts.push_back(fmt::format("{}: \"{}\"", rule.match(), rule.filter()));
  return joined(std::move(parts));
}

// One clause of the difference, if there is one.
void compare(std::string_view what, const std::string& expected, const std::string& got, std::string& out) {
  if (expected == got) return;
  out += fmt::format("{}{}: expected {}, got {}", out.empty() ? "" : "; ", what, expected, got);
}

}  // namespace

Place read_place(const JsonNode& node, std::string_view text, const Scenario& scenario) {
  std::size_t slash = text.find('/');
  Place place;
  if (slash != text.npos) {
    auto found = scenario.servers.find({std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))});
    if (found != scenario.servers.end()) {
      return {.keyspace = found->first.first, .shard = found->first.second, .server = found->second};
    }
  }
  node.complain(fmt::format("there is no shard \"{}\": write \"keyspace/shard\"", text));
  return place;
}

Expectation read_expectation(const JsonNode& node, const Scenario& scenario) {
  node.only({"positions", "tables", "filter", "tables_to_copy", "tablet_type", "flags"});
  Expectation expected;
  if (auto positions = node.find("positions")) {
    expected.positions.emplace();
    for (const auto& [shard, position] : positions->members()) {
      expected.positions->push_back(read_position(position, read_place(position, shard, scenario), scenario));
    }
  }
  if (auto tables = node.find("tables")) {
    expected.rules.emplace();
    for (const JsonNode& table : tables->items()) expected.rules->push_back(whole_table(table.text()));
  }
  if (auto filter = node.find("filter")) {
    if (!expected.rules) expected.rules.emplace();
    for (const auto& [match, text] : filter->members()) {
      binlogdata::Rule& rule = expected.rules->emplace_back();
      rule.set_match(match);
      rule.set_filter(text.text());
    }
  }
  if (auto type = node.find("tablet_type")) {
    constexpr topodata::TabletType kTypes[] = {topodata::PRIMARY, topodata::REPLICA, topodata::RDONLY};
    expected.tablet_type = kTypes[type->choice({"primary", "replica", "rdonly"})];
  }
  std::vector<std::pair<std::string, JsonNode>> flags;
  if (auto list = node.find("flags")) flags = list->members();
  if (auto tables = node.find("tables_to_copy")) flags.emplace_back("tables_to_copy", *tables);
  for (const auto& [name, value] : flags) {
    if (const Flag* flag = read_flag(value, name, expected.flags)) expected.named_flags.push_back(flag);
  }
  return expected;
}

std::string describe(const binlogdata::ShardGtid& position) {
  std::string text = fmt::format("\"{}\"", gtid_text(position.gtid()));
  std::vector<std::string> cursors;
  for (const binlogdata::TableLastPK& entry : position.table_p_ks()) cursors.push_back(cursor_text(entry));
  return cursors.empty() ? text : fmt::format("{} copying {}", text, joined(std::move(cursors)));
}

std::string difference(const Expectation& expected, const vtgate::VStreamRequest& request) {
  std::string out;
  if (expected.positions) {
    compare("positions", positions_text(*expected.positions), positions_text(request.vgtid().shard_gtids()), out);
  }
  if (expected.rules) compare("filter", rules_text(*expected.rules), rules_text(request.filter().rules()), out);
  if (expected.tablet_type) {
    compare("tablet type", type_name(*expected.tablet_type), type_name(request.tablet_type()), out);
  }
  for (const Flag* flag : expected.named_flags) {
    vtgate::VStreamFlags want = only(expected.flags, *flag);
    vtgate::VStreamFlags got = only(request.flags(), *flag);
    if (google::protobuf::util::MessageDifferencer::Equals(want, got)) continue;
    auto text = [&](const vtgate::VStreamFlags& one) {
      std::string printed = one.ShortDebugString();
      return printed.empty() ? flag->name() + ": none" : printed;
    };
    compare("flags", text(want), text(got), out);
  }
  return out;
}

}  // namespace vstream::simulator
