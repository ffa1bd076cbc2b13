// Which tables are streamed, what is asked of them, and the filter that says so.
#include "stream/table_choice.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <vector>

#include "base/name_list.h"
#include "stream/request.h"
#include "vtgate/table_name.h"

using vstream::Selector;
using vstream::TableChoice;
using vstream::TableKind;
using Names = std::vector<std::string>;

namespace {

vstream::TailOptions select(const Names& selectors, const Names& exclude = {}) {
  vstream::TailOptions options;
  for (const std::string& text : selectors) options.selectors.push_back(Selector::parse(text).value());
  for (const std::string& text : exclude) options.exclude.push_back(Selector::parse(text).value());
  return options;
}

std::string rules(const vstream::TailOptions& options, const Names& tables) {
  binlogdata::Filter filter;
  TableChoice("ks", options).add_rules(tables, filter);
  return vstream::filter_to_string(filter);
}

}  // namespace

TEST_CASE("O11: a name takes one table, an expression those that it matches whole, a keyspace all") {
  const Names existing = {"my_orders", "orders", "orders_2023"};
  CHECK(TableChoice("ks", select({"ks.orders"})).of(existing) == Names{"orders"});
  CHECK(TableChoice("ks", select({"ks./orders.*/"})).of(existing) == Names{"orders", "orders_2023"});
  CHECK(TableChoice("ks", select({"ks"})).of(existing) == existing);
  CHECK(TableChoice("ks", select({"other", "ks.orders"})).of(existing) == Names{"orders"});
  CHECK_FALSE(TableChoice("ks", select({"ks.orders"})).may_grow());
  CHECK(TableChoice("ks", select({"ks.a", "ks./o/"})).may_grow());
}

TEST_CASE("an exclusion wins over every selector, on its shards") {
  const TableChoice choice("ks", select({"ks", "ks.audit"}, {"ks./aud.*/", "ks/-80.orders", "other.customer"}));
  CHECK(choice.of({"audit", "customer", "orders"}) == Names{"customer", "orders"});
  CHECK_FALSE(choice.wants("-80", "audit"));
  CHECK_FALSE(choice.wants("-80", "orders"));
  CHECK(choice.wants("80-", "orders"));
  CHECK(choice.wants("-80", "customer"));
}

TEST_CASE("T13: tables of schema changes are shown to who names them, or asks for all of them") {
  const std::string name = GENERATE(as<std::string>(), "_orders_20240101_gho", "_orders_gho", "_orders_ghc",
                                    "_orders_del", "_orders_new", "__orders_new", "_vt_something");
  CHECK(vstream::table_kind(name) == TableKind::kShadow);
  CHECK_FALSE(TableChoice("ks", select({"ks"})).wants("0", name));
  CHECK_FALSE(TableChoice("ks", select({"ks./.*/"})).wants("0", name));
  CHECK(TableChoice("ks", select({"ks"})).hides(name));
  CHECK(TableChoice("ks", select({"ks." + name})).wants("0", name));
  auto all = select({"ks./.*/"});
  all.internal_tables = true;
  CHECK(TableChoice("ks", all).wants("0", name));
}

TEST_CASE("T13: what tablets leave out of their streams is never promised") {
  const std::string name = GENERATE(as<std::string>(), "_vt_hld_6ace8bcef73211ea87e9f875a4d24e90_20200915120410_",
                                    "_vt_vrp_6ace8bcef73211ea87e9f875a4d24e90_20200915120410_",
                                    "_4e5dcf80_354b_11eb_82cd_f875a4d24e90_20201203114014_gho", "_orders_old");
  CHECK(vstream::table_kind(name) == TableKind::kNeverStreamed);
  auto all = select({"ks", "ks." + name});
  all.internal_tables = true;
  CHECK_FALSE(TableChoice("ks", all).wants("0", name));
}

TEST_CASE("a user's table that only looks a little like one of them is a table") {
  const std::string name =
      GENERATE(as<std::string>(), "orders_new", "_orders", "_new", "orders_old", "x_vt_hld", "_ghost", "", "_");
  CHECK(vstream::table_kind(name) == TableKind::kOrdinary);
}

TEST_CASE("a table whose name holds a backtick cannot be copied") {
  CHECK_FALSE(vstream::can_be_copied("a`b"));
  CHECK(vstream::can_be_copied("größe \"x\".y/"));
}

TEST_CASE("P4: the filter names what is selected") {
  CHECK(rules(select({"ks.b", "ks.a"}), {"a", "b"}) == "select * from `a`; select * from `b`");
  CHECK(rules(select({"ks"}), {"a", "b"}) == "/.*/");
  CHECK(rules(select({"ks./a.*/", "ks.b"}), {"a", "a2", "b"}) == "select * from `b`; /^(?:a.*)$/");
}

TEST_CASE("a name is quoted for the tablet's parser, and kept from being an expression") {
  CHECK(rules(select({"ks.a`b"}), {"a`b"}) == "select * from `a``b`");
  CHECK(rules(select({"ks./x"}), {"/x"}) == "/^(?:\\/x)$/");
}

TEST_CASE("a table's query stands before the expressions that would match it, too") {
  auto options = select({"ks", "ks.a"});
  options.queries = {{.keyspace = "ks", .table = "b", .columns = {"id"}, .where = "v > 1"},
                     {.keyspace = "other", .table = "a", .columns = {"x"}}};
  CHECK(rules(options, {"a", "b", "c"}) == "select `id` from `b` where (v > 1); /.*/");
  const TableChoice choice("ks", options);
  CHECK(choice.projects("b"));
  CHECK_FALSE(choice.projects("a"));
  binlogdata::Filter filter;
  choice.add_rule("a", filter);
  choice.add_rule("b", filter);
  CHECK(vstream::filter_to_string(filter) == "select * from `a`; select `id` from `b` where (v > 1)");
  CHECK(filter.rules(1).match() == "b");
}

TEST_CASE("a mistyped name is answered with the nearest one") {
  const Names tables = {"customer", "orders", "product"};
  CHECK(vstream::nearest_name("oders", tables) == "orders");
  CHECK(vstream::nearest_name("ORDERS", tables) == "orders");
  CHECK(vstream::nearest_name("invoice", tables).empty());
  CHECK(vstream::nearest_name("x", tables).empty());
  CHECK(vstream::nearest_name(std::string(100'000, 'x'), tables).empty());
  CHECK(vstream::did_you_mean("oders", {"orders"}, "its tables") == "did you mean \"orders\"? its tables: \"orders\"");
  CHECK(vstream::did_you_mean("x", {}, "its tables") == "its tables: none");
}
