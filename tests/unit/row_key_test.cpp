// `--key`: what identifies a row, by itself.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "encode/json_writer.h"
#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::testing::ColumnSpec;
using vstream::testing::Response;

namespace {

constexpr std::uint32_t kPrimary = 2;
const ColumnSpec kId = {.name = "id", .flags = kPrimary};
const ColumnSpec kToken = {
    .name = "to\"ken", .type = query::VARBINARY, .column_type = "varbinary(9)", .charset = 63, .flags = kPrimary};
const ColumnSpec kNote = {.name = "note", .type = query::VARCHAR, .column_type = "varchar(9)", .charset = 255};

/// From the images on.
std::string print(const Response& response, bool key = true) {
  vstream::JsonWriter writer({.partial = vstream::PartialImages::kMark, .key = key});
  vstream::Assembler assembler({.partial_images = vstream::PartialImages::kMark, .writer = &writer});
  std::string lines;
  const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    lines += vstream::testing::text_of(unit.lines);
    return true;
  });
  REQUIRE(fed.has_value());
  return lines.substr(lines.find(R"(,"n":0)") + 6);
}

}  // namespace

TEST_CASE("the key is that of the row as it is now, of a deleted row as it was") {
  const auto changed = [](const std::vector<vstream::testing::Cell>& before,
                          const std::vector<vstream::testing::Cell>& after) {
    return print(Response().begin().field("t", {kId, kNote}).row("t", before, after).commit());
  };
  CHECK(changed({}, {"1", "a"}) == ",\"after\":{\"id\":1,\"note\":\"a\"},\"key\":{\"id\":1}}\n");
  CHECK(changed({"1", "a"}, {"2", "a"}).ends_with(",\"key\":{\"id\":2}}\n"));
  CHECK(changed({"1", "a"}, {}).ends_with(",\"key\":{\"id\":1}}\n"));
}

TEST_CASE("a key of several columns has all of them, in the order of the table, as they are printed in the row") {
  const auto line = print(Response().begin().field("t", {kToken, kNote, kId}).row("t", {}, {"abc", "a", "5"}).commit());
  CHECK(line.ends_with(R"x(,"base64":["to\"ken"],"key":{"to\"ken":"YWJj","id":5}})x"
                       "\n"));
}

TEST_CASE("a table without a key says so") {
  const auto line = print(Response().begin().field("t", {kNote}).row("t", {}, {"a"}).commit());
  CHECK(line == ",\"after\":{\"note\":\"a\"},\"key\":null}\n");
}

TEST_CASE("a key column that the AFTER image leaves out is as it was before") {
  Response response;
  response.begin().field("t", {kId, kNote}).row("t", {"1", "a"}, {std::nullopt, "b"});
  response.change().mutable_data_columns()->set_count(2);
  response.change().mutable_data_columns()->set_cols("\x02");
  CHECK(print(response.commit())
            .ends_with(R"(,"partial":["id"],"key":{"id":1}})"
                       "\n"));
}

TEST_CASE("rows have no key unless it is asked for") {
  CHECK(print(Response().begin().field("t", {kId}).row("t", {}, {"1"}).commit(), false) == ",\"after\":{\"id\":1}}\n");
}
