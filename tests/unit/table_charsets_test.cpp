// The character sets that VTGate does not tell are asked for: once, and again when they may be others.
#include "stream/table_charsets.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace vstream;  // NOLINT(google-build-using-namespace): the test is about it

namespace {

constexpr std::int32_t kVarchar = 6165;

Table table(std::vector<FieldView> fields, std::string_view name = "ks.t") {
  FieldEventView event;
  event.table_name = name;
  event.keyspace = "ks";
  event.shard = "0";
  event.fields = std::move(fields);
  return make_table(event).value();
}

FieldView text(std::string_view name, std::uint32_t collation, std::string_view column_type = "varchar(9)") {
  return {.name = name, .type = kVarchar, .charset = collation, .flags = 0, .column_type = column_type};
}

/// Answers, and notes what it was asked.
struct Answers {
  CollationQuestion question() {
    return [this](std::string_view keyspace, std::string_view name) -> Result<ColumnCollations> {
      asked.push_back(std::string(keyspace) + "." + std::string(name));
      if (broken) return fail(ErrorCode::kUnreachable, "nobody is there", "", Retriable::kYes);
      return collations;
    };
  }
  ColumnCollations collations = {{"a", "gbk_chinese_ci"}, {"b", "big5_bin"}, {"c", "utf8mb4_bin"}};
  bool broken = false;
  std::vector<std::string> asked;
};

}  // namespace

TEST_CASE("a table is asked about once, however often its columns come") {
  Answers answers;
  TableCharsets charsets(answers.question());
  for (int i = 0; i < 3; ++i) {
    Table t = table({text("a", 0), text("b", 0), text("c", 255)});
    REQUIRE(charsets.complete(t));
    CHECK(t.columns[0].charset == Charset::kGbk);
    CHECK(t.columns[1].charset == Charset::kBig5);
    CHECK(t.columns[2].charset == Charset::kUtf8);
  }
  CHECK(answers.asked == std::vector<std::string>{"ks.t"});
  Table other = table({text("a", 0)}, "ks.o.t");
  REQUIRE(charsets.complete(other));
  CHECK(answers.asked == std::vector<std::string>{"ks.t", "ks.o.t"});
}

TEST_CASE("nothing is asked where VTGate has told all") {
  Answers answers;
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 255), text("b", 8), {.name = "id", .type = 265, .charset = 63, .column_type = "bigint"}});
  REQUIRE(charsets.complete(t));
  Table without_column_type = table({text("a", 0, "")});
  REQUIRE(charsets.complete(without_column_type));
  CHECK(without_column_type.columns[0].charset == Charset::kUnknown);
  CHECK(answers.asked.empty());
}

TEST_CASE("a DDL and other columns make the question new") {
  Answers answers;
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 0)});
  REQUIRE(charsets.complete(t));
  answers.collations["a"] = "tis620_thai_ci";
  charsets.forget();
  t = table({text("a", 0)});
  REQUIRE(charsets.complete(t));
  CHECK(t.columns[0].charset == Charset::kTis620);
  t = table({text("a", 0, "varchar(10)")});
  REQUIRE(charsets.complete(t));
  CHECK(answers.asked.size() == 3);
}

TEST_CASE("an answer that cannot be true is not believed") {
  Answers answers;
  answers.collations = {{"a", "utf8mb4_0900_ai_ci"}, {"b", "klingon_ci"}, {"c", "latin1_swedish_ci"}};
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 0), text("b", 0), text("c", 0), text("gone", 0)});
  REQUIRE(charsets.complete(t));
  for (const Column& column : t.columns) CHECK(column.charset == Charset::kUnknown);
}

TEST_CASE("collations that VTGate does not tell are believed, whatever their set") {
  Answers answers;
  answers.collations = {{"a", "latin1_german2_ci"}, {"b", "utf8mb3_tolower_ci"}, {"c", "utf8mb3_general_mysql500_ci"}};
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 0), text("b", 0), text("c", 0)});
  REQUIRE(charsets.complete(t));
  CHECK(t.columns[0].charset == Charset::kLatin1);
  CHECK(t.columns[1].charset == Charset::kUtf8);
  CHECK(t.columns[2].charset == Charset::kUtf8);
}

TEST_CASE("a collation that we do not know is asked for, too") {
  Answers answers;
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 700)});
  REQUIRE(charsets.complete(t));
  CHECK(t.columns[0].charset == Charset::kGbk);
}

TEST_CASE("a question without an answer is an error, and is asked anew") {
  Answers answers;
  answers.broken = true;
  TableCharsets charsets(answers.question());
  Table t = table({text("a", 0)});
  const auto failed = charsets.complete(t);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "could not ask for the character sets of table \"t\": nobody is there");
  CHECK(failed.error().retriable == Retriable::kYes);
  answers.broken = false;
  REQUIRE(charsets.complete(t));
  CHECK(t.columns[0].charset == Charset::kGbk);
}
