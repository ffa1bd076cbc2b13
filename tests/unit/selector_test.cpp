// Selectors, regular expressions, queries: how they are written and what they become.
#include "vstream/selector.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

#include "stream/comparable.h"
#include "stream/condition.h"
#include "stream/pattern.h"

using vstream::Pattern;
using vstream::Selector;
using vstream::TableQuery;

namespace {

std::string select_of(const vstream::Result<TableQuery>& query) {
  return query ? query->to_select() : query.error().message;
}

bool matches(const std::string& pattern, const std::string& name) { return Pattern::parse(pattern)->matches(name); }

}  // namespace

TEST_CASE("O11: a table name is taken as it is, whatever it holds") {
  const std::string name =
      GENERATE(as<std::string>(), "orders", "a.b", "we`ird's \"t\"", "größe.日本", "x+y$", "/x", "x/", "/", "a:b", " ");
  const auto selector = Selector::parse("ks/-80." + name);
  REQUIRE(selector);
  CHECK(selector->keyspace == "ks");
  CHECK(selector->shard == "-80");
  CHECK(selector->table == name);
  CHECK_FALSE(selector->pattern);
  CHECK(selector->to_string() == "ks/-80." + name);
}

TEST_CASE("what stands between slashes is a regular expression; the keyspace is literal") {
  const auto selector = Selector::parse("ks./a.b|c/");
  REQUIRE(selector);
  CHECK(selector->keyspace == "ks");
  CHECK(selector->pattern == "a.b|c");
  CHECK_FALSE(selector->table);
  CHECK(Selector::parse(selector->to_string()) == *selector);
  CHECK(Selector::parse("ks/-80./o/")->shard == "-80");
  CHECK(Selector::parse("k.*s./a/")->keyspace == "k");
}

TEST_CASE("O11: an expression matches whole names only") {
  CHECK(matches("ord.*", "orders"));
  CHECK_FALSE(matches("ord", "orders"));
  CHECK_FALSE(matches("orders", "my_orders"));
  CHECK_FALSE(matches("a|b", "ab"));
  CHECK(matches("a|b", "b"));
  CHECK(matches("(?i)ORDERS", "orders"));
  CHECK(matches("größe\\..", "größe.日"));
  CHECK_FALSE(matches("a$", "a\n"));
}

TEST_CASE("an expression that would take for ever elsewhere takes no time") {
  CHECK_FALSE(matches("(a*)*(a|aa)+(a+)+$", std::string(60, 'a') + "b"));
  CHECK_FALSE(matches("(x+x+)+y", std::string(64, 'x')));
}

TEST_CASE("an expression that VTGate could read in another way is refused") {
  const std::string text = GENERATE(as<std::string>(), "", "(", "a)|(b", "\\Qa", "\\C", "a\\\\\\C", "(?=a)", "(a)\\1",
                                    "[z-a]", "a{1001}", "((a{100}){100}){100}", "\xff", "*", "a**", "\\");
  CHECK_FALSE(Pattern::parse(text));
  CHECK_FALSE(Pattern::parse(std::string(1001, 'a')));
  CHECK(Pattern::parse("\\\\C"));
}

TEST_CASE("a rule for VTGate says the same, though VTGate matches anywhere in a name") {
  CHECK(Pattern::parse("ord.*|b")->rule() == "/^(?:ord.*|b)$/");
  CHECK(Pattern::rule_for_name("/x.y/") == "/^(?:\\/x\\.y\\/)$/");
}

TEST_CASE("a selector that is none is refused, and named") {
  const std::string text =
      GENERATE(as<std::string>(), "", ".t", "ks.", "ks/", "ks/.t", "ks.//", "ks./(/", "/ks/.t", "k\xff.t");
  const auto selector = Selector::parse(text);
  REQUIRE_FALSE(selector);
  CHECK(selector.error().message.find(text) != std::string::npos);
}

TEST_CASE("columns become the filter's select") {
  CHECK(select_of(TableQuery::parse_columns("ks.t: a, b ,`c,`` d`")) == "select `a`, `b`, `c,`` d` from `t`");
  CHECK(select_of(TableQuery::parse_columns("t:a")) == "select `a` from `t`");
  CHECK(TableQuery::parse_columns("ks.a.b: x")->table == "a.b");
  CHECK(TableQuery::parse_columns("ks.`a:b`: x")->table == "a:b");
  CHECK(TableQuery::parse_columns("`k.s`.`t`` ` : größe")->keyspace == "k.s");
  CHECK(TableQuery::parse_columns("`k.s`.`t`` ` : größe")->table == "t` ");
}

TEST_CASE("a condition becomes the filter's select, where it ends in nothing but itself") {
  CHECK(select_of(TableQuery::parse_where("ks.t: a = 1")) == "select * from `t` where (a = 1)");
  CHECK(TableQuery::parse_where("ks.t: s = 'x: y'")->where == "s = 'x: y'");
  CHECK_FALSE(TableQuery::parse_where("ks.t: a = 1 limit 5"));
  CHECK_FALSE(TableQuery::parse_where("ks.t: a = 1) union (select 1"));
  CHECK_FALSE(TableQuery::parse_where("ks.t: a = 1 -- "));
  CHECK_FALSE(TableQuery::parse_where("ks.t: a = 1; drop table t"));
}

TEST_CASE("a query that is none is refused, and named") {
  const std::string text =
      GENERATE(as<std::string>(), "", "t", "a=1", ": a", "ks.: a", ".t: a", "`t: a", "ks.t:", "ks.t: ", "ks.t: a,",
               "ks.t: a,,b", "ks.t: *", "ks.t: a,A", "ks.t: `a", "ks.t: `a`b", "ks.t: a\xff");
  const auto query = TableQuery::parse_columns(text);
  REQUIRE_FALSE(query);
  CHECK(query.error().message.find(text) != std::string::npos);
}

TEST_CASE("O13: conditions that a tablet can evaluate") {
  const std::string text = GENERATE(
      as<std::string>(), "a = 1", "a=1.5e-3", "a != 'it''s'", "a <> \"x\\\"y\"", "a<=1 AND b >= 2 and `c d` < 3",
      "(a = 1)", "((a = 1) and (b = 2)) and c = 3", "a in (1, 'b', -3)", "a between 1 and 2 and b = 3",
      "a not between 1 and 2", "a is null", "a IS NOT NULL", "in_keyrange('-80')",
      "in_keyrange(id, 'hash', '-80') and a = 1", "a = x'00ff'", "a = 0x1f", "d > date '2026-01-01'", "größe = 1");
  CHECK(vstream::read_condition(text));
}

TEST_CASE("O13: conditions that no tablet can evaluate are refused at once") {
  const std::string text = GENERATE(
      as<std::string>(), "", "a", "a =", "= 1", "a = 1 or b = 2", "a = 1 || b = 2", "a = 1 xor b = 2", "not a = 1",
      "a like 'x%'", "a not like 'x'", "a not in (1)", "a in ()", "a in (select 1)", "a = b", "1 = a", "t.a = 1",
      "lower(a) = 'x'", "a = now()", "a <=> 1", "a = null", "a is true", "a + 1 = 2", "a = 1 and", "(a = 1", "a = 1)",
      "a = 'x", "`a = 1", "a = 1 group by a", "a = 1 # x", "a = /* x */ 1", "a between 1", "a = _latin1'x'",
      "in_keyrange()", "in_keyrange(1)", "a = 1, b = 2", "a = -1", "a between -1 and 1", "a in (--1)");
  const auto columns = vstream::read_condition(text);
  REQUIRE_FALSE(columns);
  CHECK(columns.error().code == vstream::ErrorCode::kUsage);
  CHECK(columns.error().message.find(text) != std::string::npos);
}

TEST_CASE("parentheses without end do not exhaust the stack") {
  CHECK_FALSE(vstream::read_condition(std::string(100'000, '(')));
}

TEST_CASE("what a condition compares is told") {
  const auto compared =
      vstream::read_condition("a = 1 and (`b``` in (2, 'x') and c is null) and in_keyrange(d, 'hash', '-80')");
  CHECK(compared.value() == std::vector<vstream::Comparison>{{"a", {"1"}}, {"b`", {"2", "'x'"}}, {"c", {}}, {"d", {}}});
}

TEST_CASE("O13: what a tablet compares in another way than MySQL is known") {
  const auto possible = [](query::Type type, std::string_view literal, std::string_view collation = "") {
    return vstream::why_not_comparable(type, collation, literal).empty();
  };
  CHECK_FALSE(possible(query::BIT, "1"));
  CHECK_FALSE(possible(query::ENUM, "2"));
  CHECK(possible(query::ENUM, "'2'"));
  CHECK_FALSE(possible(query::SET, "2"));
  for (const char* const time : {"'09:30:00'", "'-120:00:00.5'", "\"00:00:00\""}) CHECK(possible(query::TIME, time));
  for (const char* const time : {"'9:30:00'", "'09:30'", "93000", "'0930:0:00'", "''", "'aa:bb:cc'"}) {
    CHECK_FALSE(possible(query::TIME, time));
  }
  CHECK_FALSE(possible(query::VARCHAR, "'\u00e9'", "latin1_swedish_ci"));
  CHECK(possible(query::VARCHAR, "'\u00e9'", "utf8mb4_0900_ai_ci"));
  CHECK(possible(query::VARCHAR, "'e'", "latin1_swedish_ci"));
  CHECK(possible(query::INT64, "1"));
}
