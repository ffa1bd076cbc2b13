// The zero-copy decoder against protobuf's own parser, and a named test for each thing it refuses.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "reference/transcript.h"
#include "support/random_message.h"
#include "support/rebuilt_response.h"
#include "support/seed.h"

using vstream::testing::decoders_agree;
using vstream::testing::parsed;
using vstream::testing::rebuilt;

namespace {

// Wire bytes by hand: a tag, and length-delimited fields.
std::string varint(std::uint64_t value) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream(&stream).WriteVarint64(value);
  return out;
}
std::string tag(std::uint32_t field, std::uint32_t type) { return varint(field << 3U | type); }
std::string bytes(std::uint32_t field, const std::string& value) {
  return tag(field, 2) + varint(value.size()) + value;
}
std::string event(const std::string& fields) { return bytes(1, fields); }
std::string row_event(const std::string& fields) { return event(tag(1, 0) + varint(12) + bytes(5, fields)); }
std::string after(const std::string& row) { return row_event(bytes(2, bytes(2, row))); }

bool refused_by_both(const std::string& message) { return !rebuilt(message) && !parsed(message); }

}  // namespace

TEST_CASE("every recorded response is decoded as protobuf decodes it") {
  std::size_t responses = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VSTREAM_TRANSCRIPTS)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto transcript = vstream::reference::read_transcript(entry.path().string());
    REQUIRE(transcript.has_value());
    for (const vtgate::VStreamResponse& response : *transcript) {
      CHECK(decoders_agree(response.SerializeAsString()));
      CHECK(rebuilt(response.SerializeAsString()).has_value());
      ++responses;
    }
  }
  CHECK(responses == 113);
}

TEST_CASE("random messages, whole and damaged, are decoded or refused as protobuf does") {
  const std::uint64_t seed = vstream::testing::new_seed();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string message = vstream::testing::random_response(random).SerializeAsString();
    const int damages = static_cast<int>(random() % 4);
    for (int d = 0; d < damages; ++d) vstream::testing::damage(message, random);
    INFO("message " << i);
    REQUIRE(decoders_agree(message));
    ++(rebuilt(message) ? accepted : refused);
  }
  CHECK(accepted > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("a response cut short anywhere is refused or ends where protobuf ends") {
  const auto transcript = vstream::reference::read_transcript(std::string(VSTREAM_TRANSCRIPTS) + "/binlog_ops.jsonl");
  REQUIRE(transcript.has_value());
  for (const vtgate::VStreamResponse& response : *transcript) {
    const std::string whole = response.SerializeAsString();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      INFO("cut at " << size);
      REQUIRE(decoders_agree(std::string_view(whole).substr(0, size)));
    }
  }
}

TEST_CASE("lengths may be packed, unpacked, or both") {
  const std::string unpacked = tag(1, 0) + varint(2) + tag(1, 0) + varint(1);  // zigzag: 1, -1
  const std::string packed = bytes(1, varint(4) + varint(6));                  // 2, 3
  const std::string message = after(unpacked + packed + bytes(2, "xyyzzz"));
  REQUIRE(decoders_agree(message));
  const auto response = rebuilt(message);
  REQUIRE(response.has_value());
  const query::Row& row = response->events(0).row_event().row_changes(0).after();
  CHECK(std::vector<std::int64_t>(row.lengths().begin(), row.lengths().end()) ==
        std::vector<std::int64_t>{1, -1, 2, 3});
}

TEST_CASE("absent fields are zero, an absent image is absent") {
  const auto response = rebuilt(row_event(bytes(2, bytes(1, ""))));
  REQUIRE(response.has_value());
  const binlogdata::RowChange& change = response->events(0).row_event().row_changes(0);
  CHECK(change.has_before());
  CHECK_FALSE(change.has_after());
  CHECK(response->events(0).timestamp() == 0);
}

TEST_CASE("unknown fields and event types of a newer server are passed over") {
  const std::string unknown = bytes(900, "new") + tag(901, 5) + "1234" + tag(902, 1) + "12345678" + tag(903, 0) +
                              varint(7) + tag(904, 3) + bytes(1, "in a group") + tag(904, 4);
  const std::string message = event(tag(1, 0) + varint(99) + unknown) + unknown;
  CHECK(decoders_agree(message));
  const auto response = rebuilt(message);
  REQUIRE(response.has_value());
  CHECK(static_cast<int>(response->events(0).type()) == 99);
}

TEST_CASE("a message field that occurs twice is merged, as protobuf merges it") {
  const std::string first = bytes(1, "t") + bytes(2, bytes(2, bytes(2, "a")));
  const std::string second = bytes(2, bytes(2, bytes(2, "b")) + bytes(2, bytes(1, varint(2)))) + bytes(3, "k");
  const std::string message = event(bytes(5, first) + bytes(4, "between") + bytes(5, second));
  CHECK(decoders_agree(message));
  const auto response = rebuilt(message);
  REQUIRE(response.has_value());
  CHECK(response->events(0).row_event().row_changes_size() == 2);
}

TEST_CASE("occurrences that are well-formed only when joined are refused") {
  const std::string half = tag(5, 5) + "abcd" + "\x82";
  CHECK(refused_by_both(event(bytes(7, half) + bytes(7, std::string("\x01\x00", 2)))));
  CHECK(refused_by_both(event(bytes(7, bytes(1, "")) + bytes(7, half))));
}

TEST_CASE("field number 0 is refused") { CHECK(refused_by_both(event(std::string("\x02\x00", 2)))); }

TEST_CASE("wire types 6 and 7 are refused") {
  CHECK(refused_by_both(event(tag(1, 6))));
  CHECK(refused_by_both(event(tag(30, 7))));
}

TEST_CASE("a length beyond the end is refused") { CHECK(refused_by_both(tag(1, 2) + varint(5) + "abc")); }

TEST_CASE("a length of more than five bytes is refused") {
  CHECK(refused_by_both(tag(1, 2) + std::string("\x80\x80\x80\x80\x80\x00", 6)));
}

TEST_CASE("a number of more than ten bytes is refused") {
  CHECK(refused_by_both(event(tag(2, 0) + std::string(10, '\x80') + '\x01')));
}

TEST_CASE("a tag of more than five bytes is refused") {
  CHECK(refused_by_both(event(std::string(5, '\x80') + '\x01')));
}

TEST_CASE("the end of a group that nothing opened is refused") { CHECK(refused_by_both(event(tag(40, 4)))); }

TEST_CASE("a group that is never closed, or closed by another, is refused") {
  CHECK(refused_by_both(event(tag(40, 3))));
  CHECK(refused_by_both(event(tag(40, 3) + tag(41, 4))));
}

TEST_CASE("groups nested deeper than protobuf allows are refused") {
  std::string message;
  for (int i = 0; i < 200; ++i) message += tag(40, 3);
  for (int i = 0; i < 200; ++i) message += tag(40, 4);
  CHECK(refused_by_both(message));
}

TEST_CASE("a name that is not UTF-8 is refused") {
  CHECK(refused_by_both(event(bytes(22, "\xff"))));
  CHECK(refused_by_both(row_event(bytes(1, "\xc0\x80"))));
}

TEST_CASE("a statement may hold any bytes, as MySQL logged it") {
  const std::string message = event(bytes(4, "\xed\xa0\x80"));
  CHECK_FALSE(parsed(message).has_value());
  vstream::ResponseReader reader(message);
  vstream::EventView view;
  REQUIRE(reader.next(view));
  CHECK(view.statement == "\xed\xa0\x80");
}

TEST_CASE("packed lengths cut inside a number are refused") { CHECK(refused_by_both(after(bytes(1, "\x80")))); }

TEST_CASE("a LASTPK event that is malformed is refused though nobody reads it") {
  CHECK(refused_by_both(event(bytes(21, bytes(1, tag(3, 2))))));
}

TEST_CASE("more lengths than MySQL has columns are refused, though protobuf would take them") {
  const std::string message = after(bytes(1, std::string(vstream::kMaxColumns + 1, '\x02')));
  CHECK_FALSE(rebuilt(message).has_value());
  CHECK(rebuilt(after(bytes(1, std::string(vstream::kMaxColumns, '\x02')))).has_value());
}

TEST_CASE("more fields than MySQL has columns are refused, though protobuf would take them") {
  std::string fields;
  for (std::size_t i = 0; i <= vstream::kMaxColumns; ++i) fields += bytes(2, "");
  CHECK_FALSE(rebuilt(event(bytes(6, fields))).has_value());
}
