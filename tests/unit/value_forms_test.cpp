// `--as`: the other forms of values, and the warning about numbers that readers round.
#include "vstream/value_forms.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "encode/json_writer.h"
#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::ErrorCode;
using vstream::ValueForms;
using vstream::testing::Cell;
using vstream::testing::ColumnSpec;
using vstream::testing::Response;

namespace {

constexpr ValueForms kAll{.bigint_string = true,
                          .decimal_number = true,
                          .timestamp_raw = true,
                          .binary_hex = true,
                          .json_string = true,
                          .set_array = true};

/// Lines as they are printed, and what was said.
struct Printer {
  explicit Printer(const ValueForms& forms = kAll) : assembler({.forms = forms, .writer = &writer}) {}

  std::string operator()(const Response& response) {
    std::string lines;
    const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
      lines += vstream::testing::text_of(unit.lines);
      return true;
    });
    return fed ? lines : "error: " + fed.error().message;
  }

  std::vector<std::string> said = {};
  vstream::JsonWriter writer{{.log = [this](vstream::LogLevel, std::string_view text) { said.emplace_back(text); }}};
  vstream::Assembler assembler;
};

/// What a line says from the value on, or the error's text.
std::string print(const ColumnSpec& column, const Cell& value, bool copied = false, bool labels_as_text = true) {
  Response response;
  if (copied) response.copying();
  response.begin().field("t", {column}, labels_as_text).row("t", {}, {value}).commit();
  const std::string line = Printer()(response);
  const std::size_t at = line.find(R"("after":{"c":)");
  return at == std::string::npos ? line : line.substr(at + 13, line.size() - at - 15);
}

bool is_error(const std::string& printed) { return printed.starts_with("error: "); }

ColumnSpec of(query::Type type, const std::string& column_type, std::uint32_t charset = 63) {
  return {.name = "c", .type = type, .column_type = column_type, .charset = charset, .flags = 0};
}

const ColumnSpec kBigint = of(query::INT64, "bigint");

Response with(std::initializer_list<ColumnSpec> columns, const std::vector<Cell>& values,
              const std::string& shard = "0") {
  Response response(shard);
  response.begin().field("t", columns).row("t", {}, values).commit();
  return response;
}

}  // namespace

TEST_CASE("D13: bigint=string prints every 64-bit integer as a string, and no other") {
  CHECK(print(kBigint, "-9223372036854775808") == R"("-9223372036854775808"})");
  CHECK(print(of(query::UINT64, "bigint unsigned"), "18446744073709551615") == R"("18446744073709551615"})");
  CHECK(print(kBigint, "007") == R"("7"})");
  CHECK(print(kBigint, std::nullopt) == "null}");
  CHECK(print(of(query::INT32, "int"), "7") == "7}");
  CHECK(is_error(print(kBigint, "1.5")));
}

TEST_CASE("bigint=string is for BIT columns that can hold more than 53 bits, too") {
  CHECK(print(of(query::BIT, "bit(64)"), std::string(8, '\xff')) == R"("18446744073709551615"})");
  CHECK(print(of(query::BIT, "bit(54)"), "\x01") == R"("1"})");
  CHECK(print(of(query::BIT, ""), "\x01") == R"("1"})");
  CHECK(print(of(query::BIT, "bit(53)"), "\x01") == "1}");
  CHECK(is_error(print(of(query::BIT, "bit(64)"), "")));
}

TEST_CASE("D12: decimal=number keeps every digit") {
  const ColumnSpec decimal = of(query::DECIMAL, "decimal(65,30)");
  CHECK(print(decimal, "12345678901234567890.1234567890") == "12345678901234567890.1234567890}");
  CHECK(print(decimal, "-.50") == "-0.50}");
  CHECK(print(decimal, "") == "0}");
  CHECK(is_error(print(decimal, "1e5")));
}

TEST_CASE("D15: timestamp=raw is the text as MySQL prints it") {
  CHECK(print(of(query::TIMESTAMP, "timestamp(3)"), "2026-11-30 14:30:14.273") == R"("2026-11-30 14:30:14.273"})");
  CHECK(print(of(query::DATETIME, "datetime"), "2024-00-10 00:00:00") == R"("2024-00-10 00:00:00"})");
}

TEST_CASE("D20: binary=hex is for all columns of bytes, which are not named as base64") {
  CHECK(print(of(query::BLOB, "blob"), std::string("\xff\x00\x0a\x22", 4)) == R"("ff000a22"})");
  CHECK(print(of(query::VARBINARY, "varbinary(9)"), "text") == R"("74657874"})");
  CHECK(print(of(query::GEOMETRY, "point"), "") == R"(""})");
  CHECK(print(of(query::BINARY, "char(8)", 46), "text") == R"("text"})");
}

TEST_CASE("O4, D3: json=string prints the text of any document, also of one that is broken") {
  const ColumnSpec json = of(query::JSON, "json");
  CHECK(print(json, R"({"a": "x"})") == R"("{\"a\": \"x\"}"})");
  CHECK(print(json, "null") == R"("null"})");
  CHECK(print(json, std::nullopt) == "null}");
  CHECK(print(json, "{\"p\":.1}\n") == R"("{\"p\":.1}\n"})");
  CHECK(print(json, "\"\xff\"") == "\"\\\"\xEF\xBF\xBD\\\"\"},\"lossy\":[\"c\"]");
}

TEST_CASE("a JSON column that is printed as a string still has its differences told") {
  Response response;
  response.begin().field("t", {{.name = "id"}, of(query::JSON, "json")});
  response.row("t", {"1", "{}"}, {"1", "JSON_REMOVE(%s, '$.a')"});
  for (auto* const bitmap :
       {response.change().mutable_data_columns(), response.change().mutable_json_partial_values()}) {
    bitmap->set_count(1);
    bitmap->set_cols("\x03");
  }
  response.change().mutable_data_columns()->set_count(2);
  response.commit();
  vstream::Assembler assembler({.partial_images = vstream::PartialImages::kMark, .forms = kAll});
  std::string lines;
  const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    lines += vstream::testing::text_of(unit.lines);
    return true;
  });
  REQUIRE(fed.has_value());
  CHECK(lines.find(R"x("after":{"id":"1"},"json_diff":{"c":"JSON_REMOVE(%s, '$.a')"}})x") != std::string::npos);
}

TEST_CASE("set=array splits the labels of a SET, whatever the server sends, and leaves ENUM alone") {
  const ColumnSpec set = of(query::SET, "set('a','it''s','c\\\\d')", 255);
  CHECK(print(set, "a,it's") == R"(["a","it's"]})");
  CHECK(print(set, R"(c\d)") == R"(["c\\d"]})");
  CHECK(print(set, "") == "[]}");
  CHECK(print(set, std::nullopt) == "null}");
  CHECK(print(set, "6", false, false) == R"(["it's","c\\d"]})");
  CHECK(is_error(print(set, "8", false, false)));
  CHECK(print(of(query::SET, "set('','b')", 255), "b,") == R"(["b",""]})");
  CHECK(print(of(query::SET, "set('caf\xC3\xA9')", 8), "caf\xe9", true) == "[\"caf\xC3\xA9\"]}");
  CHECK(print(of(query::SET, "set('x')", 0), "\xc4\xe3", true) == "[\"\xEF\xBF\xBD\"]},\"lossy\":[\"c\"]");
  CHECK(print(of(query::ENUM, "enum('a,b')", 255), "a,b") == R"("a,b"})");
}

TEST_CASE("without --as nothing is printed otherwise") {
  Printer printer{ValueForms{}};
  const std::string line = printer(with({{.name = "i"}, of(query::DECIMAL, "decimal(3,1)")}, {"5", "1.5"}));
  CHECK(line.find(R"("after":{"i":5,"c":"1.5"}})") != std::string::npos);
}

TEST_CASE("D13: the first integer beyond 2^53 of a column is warned about, once for all its shards and schemas") {
  Printer printer{ValueForms{}};
  for (const char* const harmless : {"9007199254740992", "-9007199254740992", "0009007199254740992"}) {
    printer(with({kBigint}, {harmless}));
  }
  CHECK(printer.said.empty());
  const std::string line = printer(with({kBigint}, {"-9007199254740993"}));
  CHECK(line.find(R"("c":-9007199254740993})") != std::string::npos);
  REQUIRE(printer.said.size() == 1);
  for (const char* const part : {"\"c\"", "\"ks.t\"", "-9007199254740993", "--as bigint=string"}) {
    CHECK(printer.said[0].find(part) != std::string::npos);
  }
  printer(with({kBigint}, {"18446744073709551615"}));
  printer(with({kBigint}, {"18446744073709551615"}, "80-"));
  CHECK(printer.said.size() == 1);
  printer(with({kBigint, {.name = "d"}, {.name = "b", .type = query::BIT, .column_type = "bit(64)"}},
               {"1", "9007199254740993", std::string(8, '\xff')}));
  CHECK(printer.said.size() == 3);
}

TEST_CASE("integers that are printed as strings are not warned about") {
  Printer printer;
  printer(with({kBigint}, {"18446744073709551615"}));
  CHECK(printer.said.empty());
}

TEST_CASE("the forms of --as are read as a list, and what is none of them is named") {
  CHECK(vstream::parse_value_forms("bigint=string") == ValueForms{.bigint_string = true});
  CHECK(vstream::parse_value_forms("set=array,json=string,binary=hex,timestamp=raw,decimal=number,bigint=string") ==
        kAll);
  for (const char* const wrong : {"", "bigint", "bigint=number", "BIGINT=string", "bigint=string,", ",bigint=string",
                                  "bigint=string, set=array"}) {
    INFO(wrong);
    const auto forms = vstream::parse_value_forms(wrong);
    REQUIRE_FALSE(forms.has_value());
    CHECK(forms.error().code == ErrorCode::kUsage);
    CHECK(forms.error().hint.find("bigint=string") != std::string::npos);
  }
  CHECK(vstream::parse_value_forms("set=array,nonsense=1").error().message == R"(--as does not know "nonsense=1")");
}
