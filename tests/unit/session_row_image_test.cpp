// What a session knows of its shards' row images, before and after a stream breaks.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "stream/session.h"
#include "support/scripted_stream.h"

using namespace vstream;           // NOLINT(google-build-using-namespace): the test is about it
using namespace vstream::testing;  // NOLINT(google-build-using-namespace)

namespace {

const ColumnSpec kId = {.name = "id"};
const ColumnSpec kText = {.name = "c", .type = query::TEXT, .column_type = "text", .charset = 255, .flags = 16};

std::string at(int last) { return "MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-" + std::to_string(last); }

class TextSink final : public Sink {
 public:
  Result<void> write(std::string_view lines) override {
    text += lines;
    return {};
  }
  std::string text;
};

struct Run {
  Run() {
    options.selectors = {{.keyspace = "ks", .shard = {}, .table = {}}};
    options.from = {.kind = StartAt::Kind::kPositions, .positions = {{"ks", "0", at(1)}}};
    options.partial_images = PartialImages::kMark;
  }
  Result<TailEnd> operator()() {
    const LogHook log = [](LogLevel, std::string_view) {};
    const TailHooks hooks;
    Session session(options, {"ks", {"0"}, {"t"}, options},
                    {.streams = streams,
                     .clock = clock,
                     .random = [] { return 0.5; },
                     .check_positions = [](const Vgtid&) { return Result<std::set<std::string>>(); },
                     .logs_whole_rows =
                         [this](const std::string&) {
                           ++asked;
                           return whole;
                         },
                     .list_tables = [] { return std::vector<std::string>{"t"}; },
                     .sink = sink,
                     .log = log,
                     .hooks = hooks},
                    stop.get_token());
    return session.run();
  }

  TailOptions options;
  bool whole = true;
  int asked = 0;
  std::stop_source stop;
  FakeClock clock;
  ScriptedStreams streams{clock, stop};
  TextSink sink;
};

Response deleted(int number) {
  Response response;
  response.begin().field("t", {kId, kText}).row("t", {"1", std::nullopt}, {}).vgtid(at(number)).commit();
  return response;
}

Response partly_updated(int number) {
  Response response;
  response.begin().field("t", {kId, kText}).row("t", {"1", std::nullopt}, {"1", std::nullopt});
  response.change().mutable_data_columns()->set_count(2);
  response.change().mutable_data_columns()->set_cols("\x01");
  return response.vgtid(at(number)).commit();
}

constexpr const char* kNull = R"("before":{"id":1,"c":null}})";
constexpr const char* kAbsent = R"("before":{"id":1},"partial":["c"]})";

}  // namespace

TEST_CASE("D8, D9: on a shard that is not known to log whole rows a NULL text in a BEFORE is absent") {
  for (const bool whole : {true, false}) {
    Run run;
    run.whole = whole;
    run.streams.plays({send(deleted(2))});
    REQUIRE(run().has_value());
    CHECK(run.sink.text.find(whole ? kNull : kAbsent) != std::string::npos);
  }
}

TEST_CASE("D8: on a shard that is not known to log whole rows a NULL text in a BEFORE stops a run that marks nothing") {
  Run run;
  run.whole = false;
  run.options.partial_images = PartialImages::kStop;
  run.streams.plays({send(deleted(2))});
  const auto end = run();
  REQUIRE_FALSE(end.has_value());
  CHECK(end.error().code == ErrorCode::kPartialImage);
  CHECK(run.sink.text.empty());
}

TEST_CASE("D8: that rows of a table miss columns is not forgotten when the stream breaks, and not asked again") {
  Run run;
  run.streams.plays({send(partly_updated(2)), lose_connection()});
  run.streams.plays({send(deleted(3))});
  REQUIRE(run().has_value());
  CHECK(run.sink.text.find(kAbsent) != std::string::npos);
  CHECK(run.sink.text.find(kNull) == std::string::npos);
  CHECK(run.asked == 1);
}

TEST_CASE("D7: raw prints rows that miss columns, whatever is to become of them") {
  Run run;
  run.options.partial_images = PartialImages::kStop;
  run.options.format = Format::kRaw;
  run.streams.plays({send(partly_updated(2))});
  REQUIRE(run().has_value());
  CHECK(run.sink.text.find(R"("dataColumns":{"count":"2")") != std::string::npos);
  CHECK(run.asked == 0);
}
