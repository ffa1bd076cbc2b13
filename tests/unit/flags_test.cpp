// The flags of VTGate that are the user's to choose.
#include "vstream/flags.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <string>

#include "vtgate.pb.h"

using namespace std::chrono_literals;
using vstream::StreamFlags;

TEST_CASE("a flag is set by the name that it has in Vitess") {
  StreamFlags flags;
  CHECK(flags.set("minimize_skew", "true"));
  CHECK(flags.set("transaction_chunk_size", "1048576"));
  CHECK(flags.set("max_stream_age_seconds", "60"));
  CHECK(flags.set("tablet_order", "inorder"));
  CHECK(flags.minimize_skew);
  CHECK(flags.transaction_chunk_size == 1048576);
  CHECK(flags.max_stream_age_seconds == 60);
  CHECK(flags.tablet_order == "inorder");
}

TEST_CASE("every field of VStreamFlags can be set, or is refused with what to do instead") {
  const auto* const fields = vtgate::VStreamFlags::descriptor();
  REQUIRE(fields->field_count() >= 12);
  for (int i = 0; i < fields->field_count(); ++i) {
    StreamFlags flags;
    const std::string& name = fields->field(i)->name();
    const auto set = flags.set(name, name == "minimize_skew" ? "true" : name == "tablet_order" ? "any" : "1");
    INFO(name);
    if (!set) CHECK(set.error().message == "the flag " + name + " is set by vstream itself");
  }
}

TEST_CASE("a value of another type is refused") {
  StreamFlags flags;
  const auto [name, value] = GENERATE(table<std::string, std::string>({{"minimize_skew", "1"},
                                                                       {"transaction_chunk_size", "-1"},
                                                                       {"transaction_chunk_size", "1MiB"},
                                                                       {"transaction_chunk_size", ""},
                                                                       {"max_stream_age_seconds", "4294967296"},
                                                                       {"tablet_order", "random"},
                                                                       {"no_such_flag", "1"},
                                                                       {"", ""}}));
  CHECK_FALSE(flags.set(name, value));
}

TEST_CASE("chunks need a watch over their transactions; one cell preference needs cells") {
  CHECK(StreamFlags{}.check(0s));
  CHECK(StreamFlags{.transaction_chunk_size = 1}.check(10s));
  CHECK_FALSE(StreamFlags{.transaction_chunk_size = 1}.check(0s));
  CHECK_FALSE(StreamFlags{.cell_preference = "onlyspecified"}.check(10s));
  CHECK(StreamFlags{.cells = "zone1", .cell_preference = "onlyspecified"}.check(10s));
  CHECK_FALSE(StreamFlags{.cells = "zone1", .cell_preference = "nearest"}.check(10s));
}
