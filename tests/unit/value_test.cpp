// Every kind of column in its default form, said by hand.
#include "encode/value.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "encode/column.h"
#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::testing::Cell;
using vstream::testing::ColumnSpec;
using vstream::testing::Response;

namespace {

const std::string kNul("\0", 1);

/// What a line says after its `"n":0`, or the error's text.
std::string print(const ColumnSpec& column, const Cell& value, bool copied = false, bool labels_as_text = true) {
  Response response;
  if (copied) response.copying();
  response.begin().field("t", {column}, labels_as_text).row("t", {}, {value}).commit();
  vstream::AssemblerOptions options;
  options.partial_images = vstream::PartialImages::kMark;
  vstream::Assembler assembler(options);
  std::string lines;
  const auto fed = assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
    lines += vstream::testing::text_of(unit.lines);
    return true;
  });
  if (!fed) return "error: " + fed.error().message;
  constexpr std::string_view kBefore = R"("after":{"c":)";
  const std::size_t at = lines.find(kBefore);
  REQUIRE(at != std::string::npos);
  std::string rest = lines.substr(at + kBefore.size());
  rest.resize(rest.size() - 2);  // the line's own brace
  return rest;
}

bool is_error(const std::string& printed) { return printed.starts_with("error: "); }

ColumnSpec of(query::Type type, const std::string& column_type, std::uint32_t charset = 63) {
  return {.name = "c", .type = type, .column_type = column_type, .charset = charset, .flags = 0};
}

const ColumnSpec kUtf8Text = of(query::VARCHAR, "varchar(20)", 255);

}  // namespace

TEST_CASE("D13, D16: integers keep every digit and lose leading zeros") {
  const ColumnSpec bigint = of(query::UINT64, "bigint unsigned");
  CHECK(print(bigint, "18446744073709551615") == "18446744073709551615}");
  CHECK(print(of(query::INT64, "bigint"), "-9223372036854775808") == "-9223372036854775808}");
  CHECK(print(of(query::INT32, "int(5) unsigned zerofill"), "00007") == "7}");
  CHECK(print(of(query::YEAR, "year"), "0000") == "0}");
  CHECK(print(of(query::INT8, "tinyint(1)"), "-128") == "-128}");
  CHECK(print(bigint, std::nullopt) == "null}");
  for (const char* const wrong : {"", "-", "1.5", "1e3", "0x10", " 1", "--1"}) CHECK(is_error(print(bigint, wrong)));
}

TEST_CASE("BIT is its number") {
  const ColumnSpec bit = of(query::BIT, "bit(64)");
  CHECK(print(bit, std::string("\x01", 1)) == "1}");
  CHECK(print(bit, std::string("\x02\x01", 2)) == "513}");
  CHECK(print(bit, std::string(8, '\xff')) == "18446744073709551615}");
  CHECK(is_error(print(bit, "")));
  CHECK(is_error(print(bit, std::string(9, 'x'))));
}

TEST_CASE("D12: DECIMAL is a string of exact digits") {
  const ColumnSpec decimal = of(query::DECIMAL, "decimal(65,30)");
  CHECK(print(decimal, "12345678901234567890.123456789") == R"("12345678901234567890.123456789"})");
  CHECK(print(decimal, ".10") == R"("0.10"})");
  CHECK(print(decimal, "-.10") == R"("-0.10"})");
  CHECK(print(decimal, "000.50") == R"("0.50"})");
  CHECK(print(decimal, "") == R"("0"})");
  for (const char* const wrong : {"-", ".", "1.2.3", "1e5", "-        1.2300"}) CHECK(is_error(print(decimal, wrong)));
}

TEST_CASE("FLOAT and DOUBLE are the shortest number that reads back the same") {
  const ColumnSpec real = of(query::FLOAT32, "float");
  CHECK(print(real, "1E-01") == "0.1}");
  CHECK(print(real, "1.6777216E+07") == "16777216}");
  CHECK(print(real, "3.4028235E+38") == "3.4028235e+38}");
  const ColumnSpec wide = of(query::FLOAT64, "double");
  CHECK(print(wide, "1.2345678912345679E+08") == "123456789.12345679}");
  CHECK(print(wide, "1e300") == "1e+300}");
  CHECK(print(wide, "-0E+00") == "-0}");
  for (const char* const wrong : {"", "nan", "inf", "1e999", "1,5", "0x1p3"}) CHECK(is_error(print(wide, wrong)));
}

TEST_CASE("D14: dates and times are as MySQL prints them") {
  CHECK(print(of(query::DATE, "date"), "2024-00-10") == R"("2024-00-10"})");
  CHECK(print(of(query::DATETIME, "datetime(6)"), "0000-00-00 00:00:00.000000") == R"("0000-00-00 00:00:00.000000"})");
  CHECK(print(of(query::TIME, "time"), "-838:59:59") == R"("-838:59:59"})");
  CHECK(is_error(print(of(query::DATE, "date"), "\"")));
}

TEST_CASE("D15: TIMESTAMP says that it is UTC, a zero one stays") {
  const ColumnSpec stamp = of(query::TIMESTAMP, "timestamp(3)");
  CHECK(print(stamp, "2026-11-30 14:30:14") == R"("2026-11-30T14:30:14Z"})");
  CHECK(print(stamp, "2026-11-30 14:30:14.273") == R"("2026-11-30T14:30:14.273Z"})");
  CHECK(print(stamp, "0000-00-00 00:00:00.000") == R"("0000-00-00 00:00:00.000"})");
  for (const char* const wrong : {"", "2026-11-30", "2026-11-30 14:30:1x", "2026-11-30T14:30:14"}) {
    CHECK(is_error(print(stamp, wrong)));
  }
}

TEST_CASE("text is escaped for JSON and nothing else is done to it") {
  CHECK(print(kUtf8Text, "a\"b\\c/\n\t\x01\x1f\x7f") == R"("a\"b\\c/\n\t\u0001\u001f\u007f"})");
  CHECK(print(kUtf8Text, "\xF0\x9F\x98\x80 \xE4\xB8\xAD") == "\"\xF0\x9F\x98\x80 \xE4\xB8\xAD\"}");
  CHECK(print(kUtf8Text, kNul) == R"("\u0000"})");
  CHECK(print(kUtf8Text, "") == R"(""})");
  const std::string long_text(100'000, 'x');
  CHECK(print(kUtf8Text, long_text + "\"") == "\"" + long_text + "\\\"\"}");
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD, and the column is named") {
  CHECK(print(kUtf8Text, "a\xff\xe2\x82z") == "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"},\"lossy\":[\"c\"]");
}

TEST_CASE("D10: latin1 is cp1252, its holes are C1 controls") {
  const ColumnSpec latin1 = of(query::VARCHAR, "varchar(9)", 8);
  CHECK(print(latin1, "caf\xe9 \x80") == "\"caf\xC3\xA9 \xE2\x82\xAC\"}");
  CHECK(print(latin1, "\x81\x8d\xff") == "\"\xC2\x81\xC2\x8D\xC3\xBF\"}");
}

TEST_CASE("ascii has 128 characters") {
  CHECK(print(of(query::CHAR, "char(9)", 11), "a\x80") == "\"a\xEF\xBF\xBD\"},\"lossy\":[\"c\"]");
}

TEST_CASE("text in a collation that is not known is never printed as it is") {
  const ColumnSpec unknown = of(query::VARCHAR, "varchar(9)", 700);
  CHECK(print(unknown, "a") == "\"\xEF\xBF\xBD\"},\"lossy\":[\"c\"]");
  CHECK(print(unknown, "") == "\"\"}");
}

TEST_CASE("of a column whose character set is not told only plain ASCII is printed") {
  const ColumnSpec gbk = of(query::VARCHAR, "varchar(9)", 0);
  CHECK(print(gbk, "abc") == "\"abc\"}");
  CHECK(print(gbk, "\xc4\xe3") == "\"\xEF\xBF\xBD\"},\"lossy\":[\"c\"]");
}

TEST_CASE("a _bin collation makes text columns arrive as binary types") {
  CHECK(print(of(query::BINARY, "char(8)", 46), "a") == "\"a\"}");
  CHECK(print(of(query::VARBINARY, "varchar(8)", 47), "\xe9") == "\"\xC3\xA9\"}");
  CHECK(print(of(query::BLOB, "mediumtext", 46), "a") == "\"a\"}");
  ColumnSpec set = of(query::BINARY, "", 46);
  set.flags = 2048 | 128;
  CHECK(print(set, "x,y") == "\"x,y\"}");
}

TEST_CASE("D20, O3: bytes are base64, whatever they look like") {
  const ColumnSpec blob = of(query::BLOB, "blob");
  CHECK(print(blob, std::string("\xff\x00\x0a\x22", 4)) == R"("/wAKIg=="},"base64":["c"])");
  CHECK(print(of(query::VARBINARY, "varbinary(9)"), "text") == R"("dGV4dA=="},"base64":["c"])");
  CHECK(print(of(query::GEOMETRY, "point"), "abc") == R"("YWJj"},"base64":["c"])");
  CHECK(print(blob, std::nullopt) == "null}");
  const std::string printed = print(blob, std::string(100'000, '\0'));
  CHECK(printed.starts_with("\"" + std::string(133'333, 'A')));
}

TEST_CASE("D5: a JSON document is pasted as it is") {
  const ColumnSpec json = of(query::JSON, "json");
  for (const char* const document : {R"({"id":9007199254740993,"u":18446744073709551615,"e":1.0})", "[1, 2]", "\"x\"",
                                     "true", "-1.5e3", R"({"big": 123456789012345678901234567890})", R"("\u0001")"}) {
    CHECK(print(json, document) == std::string(document) + "}");
  }
}

TEST_CASE("D6: a JSON document null is told from SQL NULL") {
  const ColumnSpec json = of(query::JSON, "json");
  CHECK(print(json, "null") == R"(null},"json_null":["c"])");
  CHECK(print(json, std::nullopt) == "null}");
}

TEST_CASE("D3: what is no JSON becomes a string and is named") {
  const ColumnSpec json = of(query::JSON, "json");
  CHECK(print(json, R"({"p":.1})") == R"("{\"p\":.1}"},"lossy":["c"])");
  CHECK(print(json, "[1,\n2]") == R"("[1,\n2]"},"lossy":["c"])");
  CHECK(print(json, "") == R"(""},"lossy":["c"])");
  CHECK(print(json, "{} {}") == R"("{} {}"},"lossy":["c"])");
}

TEST_CASE("O4: JSON may be 1000 deep and not deeper") {
  const ColumnSpec json = of(query::JSON, "json");
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(print(json, nested(1000)) == nested(1000) + "}");
  CHECK(print(json, nested(1001)).ends_with(R"("lossy":["c"])"));
  const std::string number = "123456789012345678901234567890";  // takes the slow way
  CHECK(print(json, std::string(1001, '[') + number + std::string(1001, ']')).ends_with(R"("lossy":["c"])"));
}

TEST_CASE("VECTOR is an array of floats") {
  const ColumnSpec vector = of(query::VECTOR, "vector(2)");
  CHECK(print(vector, std::string("\x00\x00\x80\x3f\xcd\xcc\xcc\x3d", 8)) == "[1,0.1]}");
  CHECK(print(vector, "") == "[]}");
  CHECK(print(vector, std::string("\x00\x00\x80\x7f", 4)) == R"(["Infinity"]},"lossy":["c"])");
  CHECK(is_error(print(vector, "abc")));
}

TEST_CASE("ENUM and SET labels are in the column's character set in a copy, in UTF-8 in the binlog") {
  const ColumnSpec label = of(query::ENUM, "enum('caf\xC3\xA9')", 8);
  CHECK(print(label, "caf\xe9", true) == "\"caf\xC3\xA9\"}");
  CHECK(print(label, "caf\xC3\xA9", false) == "\"caf\xC3\xA9\"}");
}

TEST_CASE("D1: numbers of ENUM and SET become labels only where the server sends numbers") {
  const ColumnSpec size = of(query::ENUM, "enum('small','medium','large')", 255);
  CHECK(print(size, "medium", true, false) == R"("medium"})");
  CHECK(print(size, "2", false, false) == R"("medium"})");
  CHECK(print(size, "0", false, false) == R"(""})");
  CHECK(is_error(print(size, "4", false, false)));
  CHECK(print(of(query::ENUM, "enum('2','1')", 255), "2", false, true) == R"("2"})");
  const ColumnSpec set = of(query::SET, "set('a,b','it''s','c')", 255);
  CHECK(print(set, "6", false, false) == R"("it's,c"})");
  CHECK(is_error(print(set, "8", false, false)));
  CHECK(is_error(print(of(query::ENUM, "", 255), "1", false, false)));
  CHECK(is_error(print(of(query::ENUM, "", 255), "1", false, true)));
}

TEST_CASE("D1: labels are read with their quotes and backslashes doubled") {
  CHECK(vstream::parse_labels(R"(enum('a,b','it''s','c\\d',''))") ==
        std::vector<std::string>{"a,b", "it's", R"(c\d)", ""});
  CHECK(vstream::parse_labels("int").empty());
  CHECK(vstream::parse_labels("enum('unfinished").size() == 1);
}

TEST_CASE("T9, O7: a column without a name and a type of no column are refused, and named") {
  CHECK(print({.name = "@1"}, "1").starts_with(R"(error: table "t" on shard "ks/0": cannot tell the column names)"));
  CHECK(print(of(static_cast<query::Type>(9999), "new"), "1")
            .starts_with(R"(error: table "t" on shard "ks/0": cannot print column "c": its type 9999 is unknown)"));
}

TEST_CASE("O15: a FIELD without column_type is read by its type") {
  CHECK(print(of(query::INT64, ""), "1") == "1}");
  CHECK(print(of(query::VARCHAR, "", 255), "a") == R"("a"})");
  CHECK(print(of(query::DECIMAL, ""), "1.50") == R"("1.50"})");
}

TEST_CASE("O12: a table's name is cut off its keyspace exactly once") {
  CHECK(vstream::bare_table_name("ks.a.b", "ks") == "a.b");
  CHECK(vstream::bare_table_name("a.b", "ks") == "a.b");
  CHECK(vstream::bare_table_name("ks.ks.t", "ks") == "ks.t");
  CHECK(vstream::bare_table_name("ksx.t", "ks") == "ksx.t");
  CHECK(vstream::bare_table_name("t", "ks") == "t");
}
