#pragma once

#include <grpcpp/grpcpp.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vstream/simulator.h"
#include "vtgateservice.grpc.pb.h"

namespace vstream::testing {

/// Starts a simulator or fails the test.
inline std::unique_ptr<Simulator> start(const SimulatorOptions& options) {
  auto simulator = Simulator::start(options);
  if (!simulator) FAIL(simulator.error().message);
  return std::move(*simulator);
}

/// A shop in which nothing happens after the opening.
inline std::unique_ptr<Simulator> start_quiet_shop() { return start({.rows_per_second = 0}); }

inline std::unique_ptr<vtgateservice::Vitess::Stub> connect(const Simulator& simulator) {
  return vtgateservice::Vitess::NewStub(grpc::CreateChannel(simulator.address(), grpc::InsecureChannelCredentials()));
}

/// A request for these positions: {keyspace, shard, gtid} each.
struct Start {
  std::string keyspace, shard, gtid;
};
inline vtgate::VStreamRequest request_for(const std::vector<Start>& starts) {
  vtgate::VStreamRequest request;
  for (const Start& start : starts) {
    binlogdata::ShardGtid& entry = *request.mutable_vgtid()->add_shard_gtids();
    entry.set_keyspace(start.keyspace);
    entry.set_shard(start.shard);
    entry.set_gtid(start.gtid);
  }
  return request;
}

inline void add_rule(vtgate::VStreamRequest& request, const std::string& match, const std::string& filter = "") {
  binlogdata::Rule& rule = *request.mutable_filter()->add_rules();
  rule.set_match(match);
  rule.set_filter(filter);
}
inline void add_table(vtgate::VStreamRequest& request, const std::string& table) {
  add_rule(request, table, "select * from `" + table + "`");
}

/// One VStream call; cancelled at the end of its life, and by a deadline so that a broken test ends.
class Call {
 public:
  Call(const Simulator& simulator, const vtgate::VStreamRequest& request) : stub_(connect(simulator)) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    reader_ = stub_->VStream(&context_, request);
  }
  ~Call() { context_.TryCancel(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::optional<vtgate::VStreamResponse> next() {
    vtgate::VStreamResponse response;
    return reader_->Read(&response) ? std::optional(std::move(response)) : std::nullopt;
  }

  /// The events from here on, up to and including the first for which `last(event)` holds.
  template <typename Last>
  std::vector<binlogdata::VEvent> events_until(const Last& last) {
    std::vector<binlogdata::VEvent> events;
    while (auto response = next()) {
      for (const binlogdata::VEvent& event : response->events()) events.push_back(event);
      if (last(events.back())) return events;
    }
    FAIL("the stream ended: " << reader_->Finish().error_message());
    return events;
  }

  void cancel() { context_.TryCancel(); }

  /// Reads to the end; how the call ended.
  grpc::Status finish() {
    while (next()) {
    }
    return reader_->Finish();
  }

 private:
  std::unique_ptr<vtgateservice::Vitess::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<vtgate::VStreamResponse>> reader_;
};

inline bool is_commit(const binlogdata::VEvent& event) { return event.type() == binlogdata::COMMIT; }

/// "BEGIN FIELD ROW VGTID COMMIT"
template <typename Events>
std::string types(const Events& events) {
  std::string text;
  for (const binlogdata::VEvent& event : events) {
    text += (text.empty() ? "" : " ") + binlogdata::VEventType_Name(event.type());
  }
  return text;
}

/// The answer to one statement. With an error the response has no result.
inline vtgate::ExecuteResponse execute(const Simulator& simulator, const std::string& sql,
                                       const std::string& target = "") {
  vtgate::ExecuteRequest request;
  request.mutable_session()->set_autocommit(true);
  request.mutable_session()->set_target_string(target);
  request.mutable_query()->set_sql(sql);
  vtgate::ExecuteResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  grpc::Status status = connect(simulator)->Execute(&context, request, &response);
  REQUIRE(status.ok());
  return response;
}

/// The cells of a row, NULL as "NULL".
inline std::vector<std::string> cells(const query::Row& row) {
  std::vector<std::string> out;
  std::size_t at = 0;
  for (std::int64_t length : row.lengths()) {
    out.push_back(length < 0 ? "NULL" : row.values().substr(at, static_cast<std::size_t>(length)));
    if (length > 0) at += static_cast<std::size_t>(length);
  }
  return out;
}

}  // namespace vstream::testing
