// What we print of the recorded streams equals the golden files, byte for byte.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "encode/lines.h"
#include "reference/reference_writer.h"
#include "reference/transcript.h"
#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

namespace {

const std::filesystem::path kTranscripts = VSTREAM_TRANSCRIPTS;
const std::filesystem::path kGolden = kTranscripts.parent_path() / "golden";

std::string golden(const std::string& name) {
  std::ifstream file(kGolden / (name + ".lines"), std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Printed {
  std::string lines;
  bool complete = true;
};

Printed print(const std::vector<vtgate::VStreamResponse>& responses, vstream::PartialImages partial) {
  vstream::AssemblerOptions options;
  options.partial_images = partial;
  vstream::Assembler assembler(options);
  Printed printed;
  const auto take = [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    if (unit.kind == vstream::Unit::Kind::kCopyCompleted) {
      vstream::Buffer line;
      vstream::append_copy_completed_line(line, unit.keyspace, unit.shard);
      printed.lines += line.view();
    }
    printed.lines += vstream::testing::text_of(unit.lines);
    return true;
  };
  for (const vtgate::VStreamResponse& response : responses) {
    if (assembler.consume(response.SerializeAsString(), take)) continue;
    printed.complete = false;
    break;
  }
  return printed;
}

Printed play(const std::string& transcript, vstream::PartialImages partial = vstream::PartialImages::kStop) {
  const auto responses = vstream::reference::read_transcript((kTranscripts / (transcript + ".jsonl")).string());
  REQUIRE(responses.has_value());
  return print(*responses, partial);
}

}  // namespace

TEST_CASE("every recorded stream prints its golden file") {
  for (const auto& entry : std::filesystem::directory_iterator(kTranscripts)) {
    if (entry.path().extension() != ".jsonl") continue;
    const std::string name = entry.path().stem().string();
    INFO(name);
    const Printed printed = play(name);
    CHECK(printed.lines == golden(name));
    CHECK(printed.complete == (name != "noblob" && name != "partial_json"));
  }
}

TEST_CASE("partial images that are marked print their golden files") {
  for (const std::string name : {"noblob", "partial_json"}) {
    INFO(name);
    const Printed printed = play(name, vstream::PartialImages::kMark);
    CHECK(printed.lines == golden(name + ".mark"));
    CHECK(printed.complete);
  }
}
