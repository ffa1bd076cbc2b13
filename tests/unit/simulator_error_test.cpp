#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>

#include "simulator_client.h"

namespace vstream {
namespace {

using testing::Call;
using testing::request_for;

// The text after "desc = " of a recorded error.
std::string recorded(const std::string& name) {
  std::ifstream file(std::string(VSTREAM_TRANSCRIPTS) + "/" + name);
  std::string line;
  while (std::getline(file, line)) {
    std::size_t at = line.find("desc = ");
    if (at != line.npos) return line.substr(at + 7);
  }
  FAIL("no error text in " << name);
  return "";
}

struct ErrorCase {
  const char* file;
  grpc::StatusCode code;
  testing::Start start;
  topodata::TabletType type = topodata::PRIMARY;
  const char* table = nullptr;
};

TEST_CASE("simulator: errors have the codes and the texts of the recorded ones") {
  auto simulator = testing::start_quiet_shop();
  using enum grpc::StatusCode;
  const ErrorCase kCases[] = {
      {"err_bad_flavor.err", INTERNAL, {"commerce", "0", "garbage"}},
      {"err_bad_gtid_set.err", INTERNAL, {"commerce", "0", "MySQL56/zz"}},
      {"err_badks.err", UNKNOWN, {"nope", "0", "current"}},
      {"err_badshard.err", FAILED_PRECONDITION, {"commerce", "-80", "current"}},
      {"err_old_shard.err", FAILED_PRECONDITION, {"customer", "0", "current"}},
      {"err_gtid_unknown.err", CANCELLED, {"commerce", "0", "MySQL56/00000000-0000-0000-0000-000000000001:1-5"}},
      {"err_notable.err", UNKNOWN, {"commerce", "0", ""}, topodata::PRIMARY, "nosuch"},
      {"err_rdonly.err", CANCELLED, {"commerce", "0", "current"}, topodata::RDONLY},
  };
  for (const ErrorCase& c : kCases) {
    INFO(c.file);
    vtgate::VStreamRequest request = request_for({c.start});
    request.set_tablet_type(c.type);
    if (c.table != nullptr) testing::add_table(request, c.table);
    grpc::Status status = Call(*simulator, request).finish();
    CHECK(status.error_code() == c.code);
    CHECK(status.error_message() == recorded(c.file));
  }
}

TEST_CASE("simulator: requests without a usable position are refused before anything starts") {
  auto simulator = testing::start_quiet_shop();
  auto refusal = [&](const std::vector<testing::Start>& starts) {
    grpc::Status status = Call(*simulator, request_for(starts)).finish();
    CHECK(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  };
  CHECK(refusal({}) ==
        "failed to resolve vstream parameters: vgtid must have at least one value with a starting position in "
        "ShardGtids");
  CHECK(refusal({{"", "", ""}}).ends_with("for an empty keyspace, the Gtid value must be 'current'"));
  CHECK(refusal({{"commerce", "", "MySQL56/"}})
            .ends_with("if shards are unspecified, the Gtid value must be 'current' or empty; got: MySQL56/"));
  CHECK(refusal({{"/(/", "", "current"}}).find("error parsing regexp") != std::string::npos);
}

TEST_CASE("simulator: a keyspace pattern means every keyspace it matches, and none ends at once") {
  auto simulator = testing::start_quiet_shop();
  Call call(*simulator, request_for({{"/cust/", "", "current"}}));
  auto first = call.next();
  REQUIRE(first);
  CHECK(first->events(0).vgtid().shard_gtids_size() == 2);
  CHECK(Call(*simulator, request_for({{"/nope/", "", "current"}})).finish().ok());
}

TEST_CASE("simulator: a position ahead of the shard is lost") {
  auto simulator = testing::start_quiet_shop();
  auto row = testing::execute(*simulator, "select @@global.gtid_executed", "commerce:0").result().rows(0);
  std::string ahead = "MySQL56/" + testing::cells(row)[0] + "000";
  grpc::Status status = Call(*simulator, request_for({{"commerce", "0", ahead}})).finish();
  CHECK(status.error_code() == grpc::StatusCode::CANCELLED);
  CHECK(status.error_message().find("failed to find a PRIMARY tablet") != std::string::npos);
}

TEST_CASE("simulator: an address that cannot be listened on is named") {
  auto simulator = testing::start_quiet_shop();
  for (const std::string& where : {simulator->address(), std::string("nonsense")}) {
    auto second = Simulator::start({.listen = where});
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::kUsage);
    CHECK(second.error().message.find(where) != std::string::npos);
  }
  CHECK(Simulator::start({.rows_per_second = -1}).error().code == ErrorCode::kUsage);
}

}  // namespace
}  // namespace vstream
