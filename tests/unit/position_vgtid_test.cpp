#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>

#include "vstream/position.h"

using Catch::Matchers::ContainsSubstring;
using vstream::ErrorCode;
using vstream::parse_vgtid;
using vstream::Vgtid;

namespace {

const std::string kUuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const std::string kOther = "6783d421-eccd-11f1-91b6-02fc00000001";
const std::string kGtid = "MySQL56/" + kUuid + ":1-5";
const Vgtid kTwoShards = {{"customer", "-80", kGtid}, {"customer", "80-", "MySQL56/" + kOther + ":1-7"}};

std::string entry(std::string_view rest) {
  return R"({"keyspace":"commerce","shard":"0","gtid":")" + kGtid + "\"" + std::string(rest) + "}";
}

std::string refusal(std::string_view text) {
  auto vgtid = parse_vgtid(text);
  REQUIRE_FALSE(vgtid.has_value());
  CHECK(vgtid.error().code == ErrorCode::kInvalidPosition);
  return vgtid.error().message;
}

}  // namespace

TEST_CASE("a VGTID that names no shard is refused") {
  for (const char* text :
       {"", " \n", "[]", R"({"shardGtids":[]})", "{}", "[null]", "[[]]", "[1]", R"({"shardGtids":1})"}) {
    INFO(text);
    CHECK_FALSE(parse_vgtid(text).has_value());
  }
}

TEST_CASE("a short VGTID that does not begin with keyspace/shard@ is refused") {
  for (const std::string& text : {kGtid, std::string("commerce@") + kGtid, "commerce/@" + kGtid, "/0@" + kGtid,
                                  "com merce/0@" + kGtid, std::string("\x00\x01", 2), std::string("current")}) {
    INFO(text);
    CHECK_THAT(refusal(text), ContainsSubstring("does not begin with keyspace/shard@"));
  }
}

TEST_CASE("an empty GTID and the word current are refused, naming the shard") {
  CHECK(refusal("commerce/0@") == "\"commerce/0\" has no GTID");
  CHECK(refusal("commerce/0@current") == "\"current\" is not a position of \"commerce/0\"");
  CHECK_THAT(refusal("customer/-80@" + kGtid + ",customer/80-@CURRENT"), ContainsSubstring("\"customer/80-\""));
  CHECK_THAT(refusal(R"([{"keyspace":"commerce","shard":"0"}])"), ContainsSubstring("\"commerce/0\" has no GTID"));
  CHECK_THAT(refusal(R"([{"keyspace":"commerce","shard":"0","gtid":"current"}])"), ContainsSubstring("\"current\""));
}

TEST_CASE("a wrong GTID is refused with its shard and its place in the text") {
  auto error = parse_vgtid("commerce/0@" + kUuid + ":1-5:x-1").error();
  CHECK(error.message == "invalid position of \"commerce/0\": \"x-1\" at byte 52 is not an interval");
  CHECK(error.keyspace == "commerce");
  CHECK(error.shard == "0");
  CHECK_THAT(refusal("commerce/0@nonsense"), ContainsSubstring("\"nonsense\" at byte 11 is not the UUID"));
  CHECK_THAT(refusal("a/0@" + kGtid + ", b/0@MySQL56/zz:1"), ContainsSubstring("\"zz\" at byte 66 "));
  CHECK_THAT(refusal("commerce/0@MySQL8/" + kUuid + ":1"), ContainsSubstring("is not a flavor"));
}

TEST_CASE("a shard that is named twice is refused") {
  CHECK_THAT(refusal("a/0@" + kGtid + ",b/0@" + kGtid + ",a/0@" + kGtid), ContainsSubstring("\"a/0\" twice"));
  CHECK_THAT(refusal("[" + entry("") + "," + entry("") + "]"), ContainsSubstring("\"commerce/0\" twice"));
}

TEST_CASE("a copy cursor is refused under each of its names, an empty list of them is not") {
  for (const std::string name : {"tablePKs", "table_p_ks", "table_pks"}) {
    INFO(name);
    CHECK_THAT(refusal("[" + entry(",\"" + name + R"(":[{"tableName":"t"}])") + "]"),
               ContainsSubstring("\"commerce/0\" holds copy cursors (\"" + name + "\")"));
    CHECK(parse_vgtid("[" + entry(",\"" + name + "\":[]") + "]").has_value());
    CHECK(parse_vgtid("[" + entry(",\"" + name + "\":null") + "]").has_value());
  }
}

TEST_CASE("an entry of JSON that is not as it must be is refused, naming what is wrong") {
  CHECK_THAT(refusal(R"([{"shard":"0","gtid":"x"}])"), ContainsSubstring("entry 0 of the position has no keyspace"));
  CHECK_THAT(refusal(R"([{"keyspace":"a","shard":"","gtid":"x"}])"), ContainsSubstring("has no shard"));
  CHECK_THAT(refusal("[" + entry("") + R"(,{"keyspace":7}])"),
             ContainsSubstring("entry 1 of the position: \"keyspace\""));
  CHECK_THAT(refusal(R"([{"keyspace":"a/b","shard":"0","gtid":"x"}])"), ContainsSubstring("\"a/b\" is not the name"));
}

TEST_CASE("text that is not JSON, though it begins like it, is refused") {
  for (const char* text : {"[", "{", "[}", "[1,]", "{\"shardGtids\":", "[\"\xff\"]"}) {
    INFO(text);
    CHECK_THAT(refusal(text), ContainsSubstring("is not valid JSON"));
  }
}

TEST_CASE("JSON that nests without end is refused") {
  CHECK_THAT(refusal(std::string(1'000'000, '[')), ContainsSubstring("is not valid JSON"));
  CHECK_THAT(refusal(std::string(40, '[') + std::string(40, ']')), ContainsSubstring("is not valid JSON"));
}

TEST_CASE("a text beyond all bounds is refused before it is read") {
  CHECK_THAT(refusal(std::string((16U << 20) + 1, '[')), ContainsSubstring("too large"));
}

TEST_CASE("the short form splits only where another shard begins, since sets have commas too") {
  const Vgtid expected = {{"a", "-80", "MySQL56/" + kUuid + ":1-5," + kOther + ":9"}, {"a", "80-", kGtid}};
  CHECK(parse_vgtid("a/-80@MySQL56/" + kUuid + ":1-5," + kOther + ":9,a/80-@" + kGtid).value() == expected);
  CHECK(parse_vgtid(" a/-80@" + kUuid + ":1-5,\n" + kOther + ":9,\n a/80-@" + kGtid + "\n").value() == expected);
}

TEST_CASE("the short form may leave out the flavor of a MySQL set") {
  CHECK(parse_vgtid("commerce/0@" + kUuid + ":1-5").value() == Vgtid{{"commerce", "0", kGtid}});
  CHECK(parse_vgtid("commerce/0@FilePos/binlog.01:4").value() == Vgtid{{"commerce", "0", "FilePos/binlog.01:4"}});
}

TEST_CASE("GTIDs come out in their canonical form") {
  CHECK(parse_vgtid("commerce/0@" + kUuid + ":3-5:1-2").value()[0].gtid == kGtid);
}

TEST_CASE("JSON is read as an array, and as the object that the tools of Vitess write") {
  const std::string list = "[" + entry("") + "]";
  const Vgtid expected = {{"commerce", "0", kGtid}};
  CHECK(parse_vgtid(list).value() == expected);
  CHECK(parse_vgtid("{\"shardGtids\":" + list + "}").value() == expected);
  CHECK(parse_vgtid("{\"shard_gtids\":" + list + "}\n").value() == expected);
}

TEST_CASE("a VGTID is printed as the JSON of our lines and in its short form, and read back from both") {
  CHECK(vstream::vgtid_to_json(kTwoShards) == R"([{"keyspace":"customer","shard":"-80","gtid":"MySQL56/)" + kUuid +
                                                  R"(:1-5"},{"keyspace":"customer","shard":"80-","gtid":"MySQL56/)" +
                                                  kOther + R"(:1-7"}])");
  CHECK(vstream::vgtid_to_short(kTwoShards) == "customer/-80@" + kGtid + ",customer/80-@MySQL56/" + kOther + ":1-7");
  CHECK(parse_vgtid(vstream::vgtid_to_json(kTwoShards)).value() == kTwoShards);
  CHECK(parse_vgtid(vstream::vgtid_to_short(kTwoShards)).value() == kTwoShards);
}
