// The golden files are what the reference writer makes of the recorded streams, reviewed once by eye. These tests keep
// the two together, and check the reference writer's rules that no recording shows.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reference/reference_writer.h"
#include "reference/text.h"
#include "reference/transcript.h"
#include "reference/values.h"

namespace reference = vstream::reference;
using reference::reference_lines;

namespace {

const std::filesystem::path kTranscripts = VSTREAM_TRANSCRIPTS;
const std::filesystem::path kGolden = kTranscripts.parent_path() / "golden";

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

reference::Lines play(const std::string& transcript, bool mark) {
  auto responses = reference::read_transcript((kTranscripts / (transcript + ".jsonl")).string());
  REQUIRE(responses.has_value());
  return reference_lines(*responses, {.partial_mark = mark});
}

/// A stream of one shard with one table `t`: a BIGINT `a` and, after it, columns of these types.
class Script {
 public:
  explicit Script(std::initializer_list<query::Type> more = {}) {
    binlogdata::VEvent* event = add(binlogdata::FIELD);
    event->mutable_field_event()->set_table_name("k.t");
    auto field = [event](const std::string& name, query::Type type) {
      query::Field* result = event->mutable_field_event()->add_fields();
      result->set_name(name);
      result->set_type(type);
      result->set_charset(63);
    };
    field("a", query::INT64);
    for (query::Type type : more) field(std::string(1, static_cast<char>('b' + name_++)), type);
  }

  binlogdata::VEvent* add(binlogdata::VEventType type) {
    binlogdata::VEvent* event = responses_.emplace_back().add_events();
    event->set_type(type);
    event->set_timestamp(5);
    if (type != binlogdata::HEARTBEAT) {
      event->set_keyspace("k");
      event->set_shard("0");
    }
    return event;
  }

  /// A ROW event with one change, without images.
  binlogdata::RowChange* row() {
    binlogdata::RowEvent* event = add(binlogdata::ROW)->mutable_row_event();
    event->set_table_name("k.t");
    return event->add_row_changes();
  }

  Script& insert(std::string_view a) {
    fill(*row()->mutable_after(), {a});
    return *this;
  }

  static void fill(query::Row& row, std::initializer_list<std::string_view> values) {
    for (std::string_view value : values) {
      row.add_lengths(static_cast<std::int64_t>(value.size()));
      row.mutable_values()->append(value);
    }
  }

  Script& then(std::initializer_list<binlogdata::VEventType> types) {
    for (binlogdata::VEventType type : types) add(type);
    return *this;
  }

  reference::Lines play(bool mark = false) const { return reference_lines(responses_, {.partial_mark = mark}); }

 private:
  std::vector<vtgate::VStreamResponse> responses_;
  int name_ = 0;
};

std::string row_line(int n, int a) {
  return R"({"type":"row","op":"c","keyspace":"k","shard":"0","table":"t","ts_ms":5000,"n":)" + std::to_string(n) +
         R"(,"after":{"a":)" + std::to_string(a) + "}}";
}

}  // namespace

TEST_CASE("the reference writer still makes the golden files from the recorded streams") {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTranscripts)) {
    if (entry.path().extension() != ".jsonl") continue;
    const std::string name = entry.path().stem().string();
    INFO(name);
    const reference::Lines lines = play(name, false);
    CHECK(lines.lines == lines_of(kGolden / (name + ".lines")));
    CHECK(lines.error.empty() == (name != "noblob" && name != "partial_json"));
    ++seen;
  }
  CHECK(seen >= 9);
}

TEST_CASE("the reference writer still makes the golden files of marked partial images") {
  for (const char* name : {"noblob", "partial_json"}) {
    INFO(name);
    const reference::Lines lines = play(name, true);
    CHECK(lines.lines == lines_of(kGolden / (std::string(name) + ".mark.lines")));
    CHECK(lines.error.empty());
  }
}

TEST_CASE("the reference writer prints nothing of a transaction that has not ended") {
  CHECK(Script().then({binlogdata::BEGIN}).insert("1").then({binlogdata::HEARTBEAT}).play().lines.empty());
}

TEST_CASE("in the reference writer a second BEGIN discards the rows, not the fields") {
  Script script;
  script.then({binlogdata::BEGIN}).insert("1").then({binlogdata::BEGIN}).insert("2").then({binlogdata::COMMIT});
  CHECK(script.play().lines == std::vector{row_line(0, 2)});
}

TEST_CASE("in the reference writer COMMIT, DDL and OTHER end a transaction, with or without BEGIN") {
  for (auto end : {binlogdata::COMMIT, binlogdata::DDL, binlogdata::OTHER}) {
    Script script;
    script.insert("1").then({binlogdata::HEARTBEAT}).insert("2").then({end}).insert("3").then({end});
    std::vector<std::string> rows = script.play().lines;
    std::erase_if(rows, [](const std::string& line) { return line.starts_with(R"({"type":"ddl")"); });
    CHECK(rows == std::vector{row_line(0, 1), row_line(1, 2), row_line(0, 3)});
  }
}

TEST_CASE("the reference writer stops before the transaction with a row that it cannot decode") {
  Script script;
  script.insert("1").then({binlogdata::COMMIT}).insert("2").insert("x").then({binlogdata::COMMIT});
  CHECK(script.play().lines == std::vector{row_line(0, 1)});
  CHECK(script.play().error == "table \"t\": column \"a\": not an integer");
}

TEST_CASE("the reference writer maps a compact row to the columns that are present") {
  Script script({query::JSON, query::BLOB, query::INT64});
  binlogdata::RowChange* change = script.row();
  Script::fill(*change->mutable_after(), {"1", "9"});
  change->mutable_data_columns()->set_count(4);
  change->mutable_data_columns()->set_cols("\x09");
  script.then({binlogdata::COMMIT});
  const std::vector<std::string> lines = script.play(true).lines;
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with(R"("after":{"a":1,"d":9},"partial":["b","c"]})"));
  CHECK(script.play(false).lines.empty());
}

TEST_CASE("the reference writer replaces each maximal ill-formed part of UTF-8 once") {
  CHECK(reference::repair_utf8("a\xf0\x9f\x98z").utf8 == "a\xef\xbf\xbdz");
  CHECK(reference::repair_utf8("\xed\xa0\x80").utf8 == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(reference::repair_utf8("\xc0\xaf\xe2\x82").utf8 == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK_FALSE(reference::repair_utf8("\xf4\x8f\xbf\xbf\xee\x80\x80").lossy);
}

TEST_CASE("the reference writer pastes valid JSON and nothing else") {
  query::Field field;
  field.set_type(query::JSON);
  auto json = [&field](std::string_view text) { return reference::value_to_json(field, text, false).value(); };
  CHECK(json(R"({"b": 1e2})").json == R"({"b": 1e2})");
  CHECK(json("null").json_null);
  CHECK_FALSE(json(std::string(1000, '[') + std::string(1000, ']')).lossy);
  for (std::string_view bad : {"", "{", "[1,]", "{\n}", "\"\xff\"", "1 2", "\xef\xbb\xbf{}", "nul"})
    CHECK(json(bad).lossy);
  CHECK(json(std::string(1001, '[') + std::string(1001, ']')).lossy);
  CHECK(json(std::string("1\0", 2)).lossy);
}
