#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "simulator_client.h"

namespace vstream {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::Call;
using testing::request_for;

struct Transcript {
  std::string name;
  std::vector<vtgate::VStreamResponse> responses;
};

std::vector<Transcript> transcripts() {
  std::vector<Transcript> out;
  for (const auto& entry : std::filesystem::directory_iterator(VSTREAM_TRANSCRIPTS)) {
    if (entry.path().extension() != ".jsonl") continue;
    Transcript& transcript = out.emplace_back(Transcript{.name = entry.path(), .responses = {}});
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      REQUIRE(google::protobuf::util::JsonStringToMessage(line, &transcript.responses.emplace_back()).ok());
    }
  }
  return out;
}

std::string transcript(const std::string& name) { return std::string(VSTREAM_TRANSCRIPTS) + "/" + name; }

// The shards of the first VGTID, from now.
vtgate::VStreamRequest request_like(const std::vector<vtgate::VStreamResponse>& responses) {
  for (const auto& response : responses) {
    for (const auto& event : response.events()) {
      if (!event.has_vgtid()) continue;
      std::vector<testing::Start> starts;
      for (const auto& shard : event.vgtid().shard_gtids()) {
        starts.push_back({shard.keyspace(), shard.shard(), "current"});
      }
      return request_for(starts);
    }
  }
  FAIL("a transcript without a VGTID");
  return {};
}

TEST_CASE("simulator: a replay sends exactly what was recorded") {
  auto all = transcripts();
  REQUIRE(all.size() >= 9);
  for (const Transcript& recorded : all) {
    INFO(recorded.name);
    auto simulator = testing::start({.replay = recorded.name});
    Call call(*simulator, request_like(recorded.responses));
    for (const auto& expected : recorded.responses) {
      auto response = call.next();
      REQUIRE(response);
      CHECK(MessageDifferencer::Equals(*response, expected));
    }
  }
}

TEST_CASE("simulator: after the last recorded response come heartbeats, if asked for, and nothing else") {
  auto simulator = testing::start({.replay = transcript("copy_sharded.jsonl")});
  vtgate::VStreamRequest request = request_for({{"customer", "", ""}});
  request.mutable_flags()->set_heartbeat_interval(1);
  Call call(*simulator, request);
  for (int i = 0; i < 10; ++i) REQUIRE(call.next());
  auto after = call.next();
  REQUIRE(after);
  CHECK(testing::types(after->events()) == "HEARTBEAT");
}

TEST_CASE("simulator: a replay knows the keyspaces, shards and tables of its transcript") {
  auto simulator = testing::start({.replay = transcript("reshard_follow.jsonl")});
  auto shards = testing::execute(*simulator, "SHOW VITESS_SHARDS");
  REQUIRE(shards.result().rows_size() == 1);  // the new ones serve later
  CHECK(shards.result().rows(0).values() == "customer/0");
  CHECK(testing::execute(*simulator, "select @@gtid_executed", "customer:80-").result().rows_size() == 1);

  auto unsharded = testing::start({.replay = transcript("copy_unsharded.jsonl")});
  std::string tables;
  auto answer = testing::execute(*unsharded, "SHOW FULL TABLES FROM `commerce`");
  for (const auto& row : answer.result().rows()) tables += testing::cells(row)[0] + " ";
  CHECK(tables == "alltypes empty1 nopk t2 ");
  auto executed = testing::execute(*unsharded, "select @@global.gtid_executed", "commerce:0");
  CHECK(testing::cells(executed.result().rows(0))[0] == "1c781bb1-eccc-11f1-baee-02fc00000001:1-42");

  grpc::Status status = Call(*unsharded, request_for({{"customer", "0", "current"}})).finish();
  CHECK(status.error_code() == grpc::StatusCode::UNKNOWN);
}

TEST_CASE("simulator: a transcript that cannot be read names the file, the line and the cause") {
  auto error_of = [](const std::string& text) {
    auto path = std::filesystem::temp_directory_path() / "vstream_simulator_replay_test.jsonl";
    std::ofstream(path) << text;
    auto simulator = Simulator::start({.replay = path});
    std::filesystem::remove(path);
    REQUIRE_FALSE(simulator);
    CHECK(simulator.error().code == ErrorCode::kInvalidFile);
    CHECK(simulator.error().message.find(path.string()) != std::string::npos);
    return simulator.error().message;
  };
  CHECK(error_of("{\"events\":[]}\n\n{\"events\":[{\"type\":\"BEGIN\"}]}\nnonsense\n").starts_with("line 4 "));
  CHECK(error_of("{\"evnets\":[]}").find("evnets") != std::string::npos);
  CHECK(error_of("\n").find("empty") != std::string::npos);
  auto missing = Simulator::start({.replay = "/nonexistent/transcript.jsonl"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("No such file") != std::string::npos);
}

}  // namespace
}  // namespace vstream
