#include "simulator/scenario_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "simulator/scenario_events.h"
#include "simulator/scenario_expect.h"
#include "simulator/scenario_status.h"
#include "simulator/scenario_table.h"
#include "simulator/scenario_topology.h"

namespace vstream::simulator {
namespace {

// What a real tablet does: it cuts packets at about so many bytes.
constexpr std::int64_t kPacketBytes = 250'000;
constexpr std::int64_t kMostBytes = 14'000'000;  // of a response: VTGate's own limit is 16 MiB
constexpr std::int64_t kManyRows = 1'000'000'000'000;

class StepReader {
 public:
  explicit StepReader(const Scenario& scenario) : scenario_(scenario) {}

  Script read_call(const JsonNode& node) {
    Script script;
    if (node.json().is_array()) {
      read_steps(node, script);
      return script;
    }
    node.only({"about", "keyspace", "times", "steps"});
    if (auto times = node.find("times")) script.times = times->integer(1);
    if (auto keyspace = node.find("keyspace")) {
      script.keyspace = keyspace->text();
      if (scenario_.topology.find(script.keyspace) == nullptr) {
        keyspace->complain(fmt::format("there is no keyspace \"{}\"", script.keyspace));
      }
    }
    if (auto steps = node.need("steps")) read_steps(*steps, script);
    return script;
  }

 private:
  using Reader = Step (StepReader::*)(const JsonNode& step, const JsonNode& value);
  struct Verb {
    std::string_view name;
    Reader reader;
  };
  static const std::array<Verb, 15> kVerbs;

  void read_steps(const JsonNode& list, Script& script) {
    for (const JsonNode& node : list.items()) {
      auto verb = std::ranges::find_if(kVerbs, [&](const Verb& v) { return node.has(v.name); });
      if (verb == kVerbs.end()) {
        std::string names;
        for (const Verb& known : kVerbs) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", known.name);
        node.complain(fmt::format("this is no step: an object with one of {}", names));
      } else {
        script.steps.push_back((this->*verb->reader)(node, *node.find(verb->name)));
      }
    }
  }

  // The shard that the step names, or the only one there is.
  Place place(const JsonNode& step) {
    if (auto shard = step.find("shard")) return read_place(*shard, shard->text(), scenario_);
    if (scenario_.servers.size() != 1) {
      step.complain(R"("shard" is missing: there is more than one)");
      return {};
    }
    const auto& [name, server] = *scenario_.servers.begin();
    return {.keyspace = name.first, .shard = name.second, .server = server};
  }

  std::int64_t& last(const Place& place) { return last_[{place.keyspace, place.shard}]; }

  // The place with the number of its transaction, which is used up.
  Place numbered(const JsonNode& step, std::int64_t transactions = 1) {
    Place out = place(step);
    auto gtid = step.find("gtid");
    out.number = gtid ? gtid->integer(1, kManyRows) : last(out) + 1;
    last(out) = out.number + transactions - 1;
    return out;
  }

  Step expect(const JsonNode& step, const JsonNode& value) {
    step.only({"expect"});
    return ExpectStep{.request = read_expectation(value, scenario_), .path = value.path()};
  }

  Step send(const JsonNode& step, const JsonNode& value) {
    step.only({"send", "shard", "gtid"});
    std::int64_t before = last(place(step));
    SendStep out{.place = numbered(step), .events = {}};
    read_events(value, out.place, scenario_, out.events);
    auto is_position = [](const ScenarioEvent& event) { return event.kind == ScenarioEvent::Kind::kPosition; };
    if (std::ranges::none_of(out.events, is_position)) last(out.place) = before;  // the transaction goes on
    return out;
  }

  Step transaction(const JsonNode& step, const JsonNode& value) {
    step.only({"transaction", "shard", "gtid"});
    SendStep out{.place = numbered(step), .events = {stamped_event(binlogdata::BEGIN)}};
    read_events(value, out.place, scenario_, out.events);
    out.events.push_back(position_event(out.place));
    out.events.push_back(stamped_event(binlogdata::COMMIT));
    return out;
  }

  Step ddl(const JsonNode& step, const JsonNode& value) {
    step.only({"ddl", "shard", "gtid"});
    Place where = numbered(step);
    return SendStep{.place = where, .events = {position_event(where), ddl_event(value.text())}};
  }

  Step position(const JsonNode& step, const JsonNode& value) {
    step.only({"position", "shard"});
    SendStep out{.place = place(step), .events = {}};
    ScenarioEvent& moved = out.events.emplace_back(ScenarioEvent{.kind = ScenarioEvent::Kind::kPosition});
    moved.position = read_position(value, out.place, scenario_);
    moved.sets_cursors = value.has("copying");
    ScenarioEvent& other = out.events.emplace_back(ScenarioEvent{.kind = ScenarioEvent::Kind::kRaw});
    other.event.set_type(binlogdata::OTHER);
    other.event.set_keyspace(out.place.keyspace);
    other.event.set_shard(out.place.shard);
    if (value.json().is_number_integer()) last(out.place) = value.integer(0, kManyRows);
    return out;
  }

  Step copy(const JsonNode& step, const JsonNode& value) {
    step.only({"copy", "shard", "rows", "gtid", "packet_rows", "finish"});
    CopyStep out{.place = place(step), .table = nullptr, .rows = {}, .snapshot = {}};
    out.table = read_table_name(value, out.place.keyspace, scenario_);
    if (auto rows = step.find("rows"); rows && out.table != nullptr) {
      for (const JsonNode& row : rows->items()) out.rows.push_back(read_row(row, *out.table));
    }
    if (auto gtid = step.find("gtid")) {
      out.snapshot = read_gtid(*gtid, out.place.server);
      if (gtid->json().is_number_integer()) last(out.place) = gtid->integer(1, kManyRows);
    }
    auto packet = step.find("packet_rows");
    out.packet_rows = packet ? static_cast<std::size_t>(packet->integer(1)) : std::max<std::size_t>(out.rows.size(), 1);
    if (auto finish = step.find("finish")) out.finish = finish->boolean();
    return out;
  }

  Step load(const JsonNode& step, const JsonNode& value) {
    step.only({"load", "shard", "gtid", "times", "rows", "row_bytes", "response_bytes"});
    auto number = [&](std::string_view key, std::int64_t otherwise, std::int64_t most) {
      auto node = step.find(key);
      return node ? node->integer(1, most) : otherwise;
    };
    LoadStep out;
    out.times = number("times", 1, kManyRows);
    out.place = numbered(step, out.times);
    out.table = read_table_name(value, out.place.keyspace, scenario_);
    out.rows = number("rows", 1, kManyRows);
    out.row_bytes = static_cast<std::size_t>(number("row_bytes", 1, kMostBytes));
    out.response_bytes = static_cast<std::size_t>(number("response_bytes", kPacketBytes, kMostBytes));
    return out;
  }

  Step heartbeats(const JsonNode& step, const JsonNode& value) {
    step.only({"heartbeats", "every"});
    HeartbeatsStep out{.count = value.integer(1)};
    if (auto every = step.find("every")) out.every = every->duration();
    return out;
  }

  static WaitStep wait_for(const JsonNode& value, bool heartbeats) {
    if (value.json() == "gone") return {.until = WaitStep::Until::kGone, .heartbeats = heartbeats};
    if (value.json() == "go") return {.until = WaitStep::Until::kGo, .heartbeats = heartbeats};
    return {.until = WaitStep::Until::kTime, .time = value.duration(), .heartbeats = heartbeats};
  }
  Step wait(const JsonNode& step, const JsonNode& value) {
    step.only({"wait"});
    return wait_for(value, true);
  }
  Step hang(const JsonNode& step, const JsonNode& value) {
    step.only({"hang"});
    return wait_for(value, false);
  }

  Step slow(const JsonNode& step, const JsonNode& value) {
    step.only({"slow"});
    return SlowStep{value.duration()};
  }

  Step split(const JsonNode& step, const JsonNode& value) {
    step.only({"split"});
    return SplitStep{value.integer(0)};
  }

  Step error(const JsonNode& step, const JsonNode& value) {
    step.only({"error", "text"});
    auto text = step.need("text");
    return EndStep{grpc::Status(read_status_code(value), text ? text->text() : "")};
  }

  Step end(const JsonNode& step, const JsonNode& value) {
    step.only({"end"});
    if (!value.boolean()) value.complain("write true");
    return EndStep{grpc::Status::OK};
  }

  Step cut(const JsonNode& step, const JsonNode& value) {
    step.only({"cut"});
    if (!value.boolean()) value.complain("write true");
    return CutStep{};
  }

  const Scenario& scenario_;
  std::map<NameInKeyspace, std::int64_t> last_;
};

const std::array<StepReader::Verb, 15> StepReader::kVerbs{{{"expect", &StepReader::expect},
                                                           {"send", &StepReader::send},
                                                           {"transaction", &StepReader::transaction},
                                                           {"ddl", &StepReader::ddl},
                                                           {"position", &StepReader::position},
                                                           {"copy", &StepReader::copy},
                                                           {"load", &StepReader::load},
                                                           {"heartbeats", &StepReader::heartbeats},
                                                           {"wait", &StepReader::wait},
                                                           {"hang", &StepReader::hang},
                                                           {"slow", &StepReader::slow},
                                                           {"split", &StepReader::split},
                                                           {"error", &StepReader::error},
                                                           {"end", &StepReader::end},
                                                           {"cut", &StepReader::cut}}};

void add(const std::string& gtid, GtidSet& out) {
  std::size_t slash = gtid.find('/');
  if (slash == gtid.npos) return;
  if (auto set = GtidSet::parse(std::string_view(gtid).substr(slash + 1))) out.merge(*set);
}

void add(const binlogdata::ShardGtid& position, std::map<NameInKeyspace, GtidSet>& out) {
  add(position.gtid(), out[{position.keyspace(), position.shard()}]);
}

void add(const Step& step, std::map<NameInKeyspace, GtidSet>& out) {
  if (const auto* expect = std::get_if<ExpectStep>(&step)) {
    if (!expect->request.positions) return;
    for (const auto& position : *expect->request.positions) add(position, out);
  } else if (const auto* send = std::get_if<SendStep>(&step)) {
    for (const ScenarioEvent& event : send->events) {
      if (event.kind == ScenarioEvent::Kind::kPosition) {
        add(event.position.gtid(), out[{send->place.keyspace, send->place.shard}]);
      }
      for (const auto& position : event.event.vgtid().shard_gtids()) add(position, out);
    }
  } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
    if (copy->snapshot) add(*copy->snapshot, out[{copy->place.keyspace, copy->place.shard}]);
  } else if (const auto* load = std::get_if<LoadStep>(&step)) {
    std::int64_t last = load->place.number + load->times - 1;
    add(fmt::format("/{}:1-{}", load->place.server.to_string(), last), out[{load->place.keyspace, load->place.shard}]);
  }
}

}  // namespace

void read_calls(const JsonNode& calls, Scenario& scenario) {
  StepReader reader(scenario);
  for (const JsonNode& call : calls.items()) scenario.calls.push_back(reader.read_call(call));
  if (scenario.calls.empty()) calls.complain("there has to be a call");
}

std::map<NameInKeyspace, GtidSet> transactions_in(const Scenario& scenario) {
  std::map<NameInKeyspace, GtidSet> out;
  for (const Script& script : scenario.calls) {
    for (const Step& step : script.steps) add(step, out);
  }
  return out;
}

}  // namespace vstream::simulator
