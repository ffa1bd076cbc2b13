#include "simulator/scenario_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "simulator/copy_plan.h"
#include "simulator/load_rows.h"
#include "simulator/scenario_table.h"

namespace vstream::simulator {
namespace {

using Kind = ScenarioEvent::Kind;

// The first transaction's time is a second after this, the second's two, so that a scenario always prints the same.
constexpr std::int64_t kBeginning = 1'767'225'600;  // 2026-01-01

Transaction transaction_at(const Place& place) {
  return {.number = place.number, .time = kBeginning + place.number, .images = {}};
}

binlogdata::VEvent stamped_now(binlogdata::VEvent heartbeat) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  heartbeat.set_timestamp(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  heartbeat.set_current_time(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return heartbeat;
}

}  // namespace

void play_idle(Outlet& outlet, bool heartbeats) {
  outlet.set_heartbeats(heartbeats);
  while (outlet.wait(outlet.doorbell().rings())) {
  }
  outlet.set_heartbeats(true);
}

ScenarioCall::ScenarioCall(const vtgate::VStreamRequest& request, binlogdata::VGtid shards, Outlet& outlet, Gate& gate,
                           std::function<void(const std::string&)> mismatch)
    : request_(request), vgtid_(std::move(shards)), outlet_(outlet), gate_(gate), mismatch_(std::move(mismatch)) {}

grpc::Status ScenarioCall::play(const Script& script) {
  for (const Step& step : script.steps) {
    Ending ending = std::visit([this](const auto& what) { return take(what); }, step);
    if (ending) return *ending;
    if (!outlet_.open()) return grpc::Status::OK;
  }
  play_idle(outlet_, true);
  return grpc::Status::OK;
}

EventMaker& ScenarioCall::events_of(const Place& place) {
  const bool bare = request_.flags().exclude_keyspace_from_table_name();
  return makers_.try_emplace({place.keyspace, place.shard}, place.keyspace, place.shard, bare).first->second;
}

binlogdata::ShardGtid& ScenarioCall::entry(const Place& place) {
  for (binlogdata::ShardGtid& shard : *vgtid_.mutable_shard_gtids()) {
    if (shard.keyspace() == place.keyspace && shard.shard() == place.shard) return shard;
  }
  binlogdata::ShardGtid& shard = *vgtid_.add_shard_gtids();
  shard.set_keyspace(place.keyspace);
  shard.set_shard(place.shard);
  return shard;
}

void ScenarioCall::pause(Milliseconds time) {
  const auto until = Doorbell::Clock::now() + time;
  while (Doorbell::Clock::now() < until && outlet_.wait(outlet_.doorbell().rings(), until)) {
  }
}

void ScenarioCall::send_one(const vtgate::VStreamResponse& response) {
  if (outlet_.send(response) && slow_.count() > 0) pause(slow_);
}

void ScenarioCall::send(vtgate::VStreamResponse& response) {
  if (split_ == 0 || response.events_size() <= split_) {
    if (!response.events().empty()) send_one(response);
  } else {
    vtgate::VStreamResponse part;
    for (binlogdata::VEvent& event : *response.mutable_events()) {
      part.add_events()->Swap(&event);
      if (part.events_size() < split_) continue;
      send_one(part);
      part.Clear();
    }
    if (!part.events().empty()) send_one(part);
  }
  response.Clear();
}

void ScenarioCall::add(const ScenarioEvent& event, const Place& place, vtgate::VStreamResponse& response) {
  EventMaker& events = events_of(place);
  const Transaction transaction = transaction_at(place);
  switch (event.kind) {
    case Kind::kBreak: return send(response);
    case Kind::kRaw: {
      bool heartbeat = event.event.type() == binlogdata::HEARTBEAT && event.event.timestamp() == 0;
      *response.add_events() = heartbeat ? stamped_now(event.event) : event.event;
      return;
    }
    case Kind::kStamped: {
      binlogdata::VEvent& stamped = events.add(response, event.event.type());
      stamped.set_statement(event.event.statement());
      EventMaker::stamp(stamped, transaction, place.server);
      return;
    }
    case Kind::kRows: {
      binlogdata::RowEvent* open = nullptr;
      for (const Transaction::Image& image : event.images) {
        open = events.add_image(response, image, transaction, place.server, open);
      }
      return;
    }
    case Kind::kFields: return events.add_field(response, *event.table, transaction, place.server);
    case Kind::kPosition:
      entry(place).set_gtid(event.position.gtid());
      if (event.sets_cursors) *entry(place).mutable_table_p_ks() = event.position.table_p_ks();
      return events.add_vgtid(response, vgtid_);
  }
}

ScenarioCall::Ending ScenarioCall::take(const ExpectStep& step) {
  std::string wrong = difference(step.request, request_);
  if (wrong.empty()) return std::nullopt;
  std::string text = fmt::format("the request is not as {} wants it: {}", step.path, wrong);
  mismatch_(text);
  return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, text);
}

ScenarioCall::Ending ScenarioCall::take(const SendStep& step) {
  vtgate::VStreamResponse response;
  for (const ScenarioEvent& event : step.events) add(event, step.place, response);
  send(response);
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const CopyStep& step) {
  EventMaker& events = events_of(step.place);
  binlogdata::ShardGtid& shard = entry(step.place);
  vtgate::VStreamResponse response;
  events.forget_fields();
  events.add(response, binlogdata::BEGIN);
  events.add_copy_field(response, *step.table);
  send(response);
  if (step.snapshot) {  // a response of its own
    shard.set_gtid(*step.snapshot);
    events.add_vgtid(response, vgtid_);
    send(response);
  }
  for (std::size_t i = 0; i < step.rows.size(); ++i) {
    if (i > 0 && i % step.packet_rows == 0) {
      events.add(response, binlogdata::BEGIN);
      send(response);
    }
    events.add_copy_row(response, *step.table, step.rows[i]);
    if (i + 1 < step.rows.size() && (i + 1) % step.packet_rows != 0) continue;
    Cursor cursor = cursor_of(*step.table, &step.rows[i]);
    set_cursor(shard, step.table->name, cursor.fields, to_wire(cursor.values));
    events.add_vgtid(response, vgtid_);
    events.add(response, binlogdata::COMMIT);
    send(response);
  }
  if (!step.finish) return std::nullopt;
  remove_cursor(shard, step.table->name);
  events.add(response, binlogdata::BEGIN);
  events.add_vgtid(response, vgtid_);
  events.add(response, binlogdata::COMMIT);
  send(response);
  return std::nullopt;
}

void ScenarioCall::load_one(const LoadStep& step, const Place& place) {
  const LoadRows rows(*step.table, step.row_bytes);
  const Transaction transaction = transaction_at(place);
  EventMaker& events = events_of(place);
  vtgate::VStreamResponse response;
  EventMaker::stamp(events.add(response, binlogdata::BEGIN), transaction, place.server);
  binlogdata::RowEvent* open = nullptr;
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < step.rows && outlet_.open(); ++i) {
    query::Row row = rows.row((place.number - 1) * step.rows + i + 1);
    const std::size_t size = row.values().size();
    if (bytes > 0 && bytes + size > step.response_bytes) {
      send(response);
      open = nullptr;
      bytes = 0;
    }
    open = events.add_image(response, {step.table, "", row.SerializeAsString()}, transaction, place.server, open);
    bytes += size;
  }
  entry(place).set_gtid(fmt::format("MySQL56/{}:1-{}", place.server.to_string(), place.number));
  events.add_vgtid(response, vgtid_);
  EventMaker::stamp(events.add(response, binlogdata::COMMIT), transaction, place.server);
  send(response);
}

ScenarioCall::Ending ScenarioCall::take(const LoadStep& step) {
  Place place = step.place;
  for (std::int64_t i = 0; i < step.times && outlet_.open(); ++i, ++place.number) load_one(step, place);
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const HeartbeatsStep& step) {
  outlet_.set_heartbeats(false);
  for (std::int64_t i = 0; i < step.count && outlet_.send_heartbeat(); ++i) pause(step.every);
  outlet_.set_heartbeats(true);
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const WaitStep& step) {
  outlet_.set_heartbeats(step.heartbeats);
  if (step.until == WaitStep::Until::kTime) {
    pause(step.time);
  } else if (step.until == WaitStep::Until::kGone) {
    play_idle(outlet_, step.heartbeats);
  } else {
    for (std::uint64_t seen = outlet_.doorbell().rings(); !gate_.pass(); seen = outlet_.doorbell().rings()) {
      if (!outlet_.wait(seen)) break;
    }
  }
  outlet_.set_heartbeats(true);
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const SlowStep& step) {
  slow_ = step.pause;
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const SplitStep& step) {
  split_ = step.events;
  return std::nullopt;
}

ScenarioCall::Ending ScenarioCall::take(const EndStep& step) { return step.status; }

ScenarioCall::Ending ScenarioCall::take(const CutStep& /*step*/) {
  const bool done = outlet_.cut();
  return grpc::Status(grpc::StatusCode::UNAVAILABLE,
                      done ? "the connection was cut" : "the simulator could not cut the connection");
}

}  // namespace vstream::simulator
