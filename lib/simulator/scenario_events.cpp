#include "simulator/scenario_events.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <utility>

#include "simulator/scenario_table.h"
#include "simulator/scenario_topology.h"

namespace vstream::simulator {
namespace {

using Kind = ScenarioEvent::Kind;

constexpr std::string_view kEventForms =
    R"(write "begin", "commit", "rollback", "other", "vgtid", "heartbeat", "copy_completed", "all_copied", "|", )"
    R"({"insert": TABLE, "row": […]}, {"update": TABLE, "before": […], "after": […]}, {"delete": TABLE, "row": […]}, )"
    R"({"fields": TABLE}, {"ddl": "…"}, {"vgtid": …}, or an event in protobuf JSON with its "type")";

ScenarioEvent plain_event(binlogdata::VEventType type) {
  ScenarioEvent event{.kind = Kind::kRaw};
  event.event.set_type(type);
  return event;
}

void read_word(const JsonNode& node, const Place& place, std::vector<ScenarioEvent>& out) {
  const std::string word = node.text();
  if (word == "|") {
    out.push_back({.kind = Kind::kBreak});
  } else if (word == "begin") {
    out.push_back(stamped_event(binlogdata::BEGIN));
  } else if (word == "commit") {
    out.push_back(stamped_event(binlogdata::COMMIT));
  } else if (word == "rollback") {
    out.push_back(stamped_event(binlogdata::ROLLBACK));
  } else if (word == "other") {
    out.push_back(stamped_event(binlogdata::OTHER));
  } else if (word == "vgtid") {
    out.push_back(position_event(place));
  } else if (word == "heartbeat") {
    out.push_back(plain_event(binlogdata::HEARTBEAT));
  } else if (word == "all_copied") {
    out.push_back(plain_event(binlogdata::COPY_COMPLETED));
  } else if (word == "copy_completed") {
    out.push_back(plain_event(binlogdata::COPY_COMPLETED));
    out.back().event.set_keyspace(place.keyspace);
    out.back().event.set_shard(place.shard);
  } else {
    node.complain(fmt::format("there is no event \"{}\": {}", word, kEventForms));
  }
}

void read_raw(const JsonNode& node, const Place& place, std::vector<ScenarioEvent>& out) {
  ScenarioEvent event{.kind = Kind::kRaw};
  google::protobuf::util::JsonParseOptions strict;
  strict.ignore_unknown_fields = false;
  const std::string text = node.json().dump();
  auto status = google::protobuf::util::JsonStringToMessage(text, &event.event, strict);
  if (!status.ok()) {
    node.complain(fmt::format("this is no VEvent in protobuf JSON: {}", std::string_view(status.message())));
    return;
  }
  bool of_the_stream = event.event.type() == binlogdata::HEARTBEAT || event.event.type() == binlogdata::COPY_COMPLETED;
  if (!of_the_stream && event.event.keyspace().empty() && event.event.shard().empty()) {
    event.event.set_keyspace(place.keyspace);
    event.event.set_shard(place.shard);
  }
  out.push_back(std::move(event));
}

std::string serialised(const JsonNode& row, const TableSchema& table) {
  return to_wire(read_row(row, table)).SerializeAsString();
}

// The images of {"insert": …} or {"delete": …}: one "row", or "rows".
std::vector<std::string> read_images(const JsonNode& node, const TableSchema& table) {
  std::vector<std::string> images;
  if (auto rows = node.find("rows")) {
    for (const JsonNode& row : rows->items()) images.push_back(serialised(row, table));
    if (images.empty()) rows->complain("there has to be a row");
  } else if (auto row = node.need("row")) {
    images.push_back(serialised(*row, table));
  }
  return images;
}

void read_change(const JsonNode& node, std::string_view verb, const Place& place, const Scenario& scenario,
                 std::vector<ScenarioEvent>& out) {
  const TableSchema* table = read_table_name(*node.find(verb), place.keyspace, scenario);
  if (table == nullptr) return;
  ScenarioEvent event{.kind = Kind::kRows, .table = table};
  if (verb == "update") {
    node.only({"update", "before", "after"});
    auto before = node.need("before");
    auto after = node.need("after");
    if (before && after) event.images.push_back({table, serialised(*before, *table), serialised(*after, *table)});
  } else {
    node.only({verb, "row", "rows"});
    for (std::string& image : read_images(node, *table)) {
      if (verb == "insert") {
        event.images.push_back({table, "", std::move(image)});
      } else {
        event.images.push_back({table, std::move(image), ""});
      }
    }
  }
  out.push_back(std::move(event));
}

void read_event(const JsonNode& node, const Place& place, const Scenario& scenario, std::vector<ScenarioEvent>& out) {
  if (node.json().is_string()) return read_word(node, place, out);
  if (node.has("type")) return read_raw(node, place, out);
  for (std::string_view verb : {"insert", "update", "delete"}) {
    if (node.has(verb)) return read_change(node, verb, place, scenario, out);
  }
  if (auto name = node.find("fields")) {
    node.only({"fields"});
    out.push_back({.kind = Kind::kFields, .table = read_table_name(*name, place.keyspace, scenario)});
  } else if (auto statement = node.find("ddl")) {
    node.only({"ddl"});
    out.push_back(ddl_event(statement->text()));
  } else if (auto position = node.find("vgtid")) {
    node.only({"vgtid"});
    out.push_back({.kind = Kind::kPosition,
                   .position = read_position(*position, place, scenario),
                   .sets_cursors = position->has("copying")});
  } else {
    node.complain(fmt::format("this is no event: {}", kEventForms));
  }
}

void read_cursor(const std::string& name, const JsonNode& key, const Place& place, const Scenario& scenario,
                 binlogdata::ShardGtid& out) {
  binlogdata::TableLastPK& entry = *out.add_table_p_ks();
  entry.set_table_name(name);
  if (key.json().is_null()) return;
  auto table = scenario.tables.find({place.keyspace, name});
  if (table == scenario.tables.end()) return key.complain(fmt::format("there is no table \"{}\"", name));
  Cursor cursor = cursor_of(table->second, nullptr);
  entry.mutable_lastpk()->mutable_fields()->Assign(cursor.fields.begin(), cursor.fields.end());
  if (key.json().is_array() && key.json().empty()) return;
  TableSchema columns{.keyspace = place.keyspace, .name = name, .fields = cursor.fields};
  *entry.mutable_lastpk()->add_rows() = to_wire(read_row(key, columns));
}

}  // namespace

const TableSchema* read_table_name(const JsonNode& name, const std::string& keyspace, const Scenario& scenario) {
  std::string text = name.text();
  auto found = scenario.tables.find({keyspace, text});
  if (found != scenario.tables.end()) return &found->second;
  name.complain(
      fmt::format("the keyspace \"{}\" has no table \"{}\": its columns stand in \"tables\"", keyspace, text));
  return nullptr;
}

ScenarioEvent stamped_event(binlogdata::VEventType type) {
  ScenarioEvent event = plain_event(type);
  event.kind = Kind::kStamped;
  return event;
}

ScenarioEvent position_event(const Place& place) {
  ScenarioEvent event{.kind = Kind::kPosition};
  event.position.set_gtid(fmt::format("MySQL56/{}:1-{}", place.server.to_string(), place.number));
  return event;
}

ScenarioEvent ddl_event(const std::string& statement) {
  ScenarioEvent event = stamped_event(binlogdata::DDL);
  event.event.set_statement(statement);
  return event;
}

void read_events(const JsonNode& list, const Place& place, const Scenario& scenario, std::vector<ScenarioEvent>& out) {
  for (const JsonNode& event : list.items()) read_event(event, place, scenario, out);
}

binlogdata::ShardGtid read_position(const JsonNode& node, const Place& place, const Scenario& scenario) {
  binlogdata::ShardGtid position;
  position.set_keyspace(place.keyspace);
  position.set_shard(place.shard);
  if (!node.json().is_object()) {
    position.set_gtid(read_gtid(node, place.server));
    return position;
  }
  node.only({"gtid", "copying"});
  if (auto gtid = node.need("gtid")) position.set_gtid(read_gtid(*gtid, place.server));
  if (auto copying = node.find("copying")) {
    for (const auto& [table, key] : copying->members()) read_cursor(table, key, place, scenario, position);
  }
  return position;
}

}  // namespace vstream::simulator
