// What each error of VTGate means, by the texts that real clusters sent.
#include "vtgate/classify.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using vstream::classify;
using vstream::Error;
using vstream::ErrorCode;
using vstream::Retriable;

namespace {

struct Recorded {
  std::string file;
  int code;
  ErrorCode expected;
  Retriable retriable;
};

// The text after "desc = ", as gRPC gives it.
std::string recorded_text(const std::string& file) {
  std::ifstream stream(std::string(VSTREAM_TRANSCRIPTS) + "/" + file);
  REQUIRE(stream.is_open());
  const std::string all(std::istreambuf_iterator<char>(stream), {});
  const std::size_t start = all.find("desc = ");
  REQUIRE(start != std::string::npos);
  return all.substr(start + 7, all.find("\n\nrows=") - start - 7);
}

}  // namespace

TEST_CASE("recorded ends of streams are told apart") {
  const Recorded recorded[] = {
      {"err_bad_flavor.err", 13, ErrorCode::kInvalidPosition, Retriable::kNo},
      {"err_bad_gtid_set.err", 13, ErrorCode::kInvalidPosition, Retriable::kNo},
      {"err_badks.err", 2, ErrorCode::kUnknownKeyspace, Retriable::kNo},
      {"err_badshard.err", 9, ErrorCode::kUnknownShard, Retriable::kNo},
      {"err_old_shard.err", 9, ErrorCode::kUnknownShard, Retriable::kNo},
      {"err_gtid_unknown.err", 1, ErrorCode::kStreamBroken, Retriable::kYes},
      {"err_rdonly.err", 1, ErrorCode::kStreamBroken, Retriable::kYes},
      {"err_notable.err", 2, ErrorCode::kUnknownTable, Retriable::kNo},
      {"err_row_image_minimal.err", 13, ErrorCode::kRowImage, Retriable::kNo},
  };
  for (const Recorded& one : recorded) {
    INFO(one.file);
    const Error error = classify({.code = one.code, .text = recorded_text(one.file)});
    CHECK(error.code == one.expected);
    CHECK(error.retriable == one.retriable);
    CHECK(error.grpc_code == one.code);
    CHECK_FALSE(error.message.empty());
  }
}

TEST_CASE("texts decide before codes") {
  struct Case {
    int code;
    std::string_view text;
    ErrorCode expected;
    Retriable retriable;
  };
  const Case cases[] = {
      {2, "x: the source purged required binary logs", ErrorCode::kPositionLost, Retriable::kNo},
      {2, "vttablet: rpc error: Cannot replicate (errno 1236) (sqlstate HY000)", ErrorCode::kPositionLost,
       Retriable::kNo},
      {2, "stream (at source tablet) error @ a:1-5: boom (errno 1789)", ErrorCode::kPositionLost, Retriable::kNo},
      {3, "GTIDSet Mismatch: requested source position:a, current target vrep position: b", ErrorCode::kPositionLost,
       Retriable::kUnknown},
      {2, "partial row image encountered: ensure binlog_row_image is set to 'full'", ErrorCode::kRowImage,
       Retriable::kNo},
      {3, "No partition found for tabletType unknown in keyspace commerce", ErrorCode::kNoTablet, Retriable::kNo},
      {14, "no healthy tablet available for 'keyspace:\"c\" shard:\"0\" tablet_type:RDONLY'", ErrorCode::kStreamBroken,
       Retriable::kYes},
      {13, "not all journaling participants are in the stream: journal: x", ErrorCode::kReshardSubset, Retriable::kNo},
      {2, "line one\nCode: FAILED_PRECONDITION\nstream needs a position or a table to copy", ErrorCode::kRejected,
       Retriable::kNo},
      {2, "unsupported: OR in filter", ErrorCode::kRejected, Retriable::kNo},
      {2, "unsupported constraint: a = 1 or b = 2", ErrorCode::kRejected, Retriable::kNo},
      {2, "comparison operator like not supported", ErrorCode::kRejected, Retriable::kNo},
      {2, "vindexType \"no_such\" not found", ErrorCode::kRejected, Retriable::kNo},
      {2, "unexpected: select a", ErrorCode::kRejected, Retriable::kNo},
      {2, "lastpk for table b1 has no fields defined", ErrorCode::kRejected, Retriable::kNo},
      {2, "failed to build table replication plan for table a2", ErrorCode::kRejected, Retriable::kNo},
      {2, "cannot determine table columns for t: event has 3, schema has 2", ErrorCode::kRejected, Retriable::kNo},
      {2, "unknown table t in schema", ErrorCode::kRejected, Retriable::kNo},
      {3, "failed to resolve vstream parameters: x", ErrorCode::kRejected, Retriable::kNo},
      {16, "username and password must be provided", ErrorCode::kAuth, Retriable::kNo},
      {7, "auth failure: caller \"u1\" provided invalid credentials", ErrorCode::kAuth, Retriable::kNo},
      {7, "something else", ErrorCode::kAuth, Retriable::kNo},
      {8, "Received message larger than max (5 vs. 4)", ErrorCode::kMessageTooLarge, Retriable::kNo},
      {8, "grpc: trying to send message larger than max", ErrorCode::kMessageTooLarge, Retriable::kNo},
      {12, "unknown service vtgateservice.Vitess", ErrorCode::kNotVtgate, Retriable::kNo},
      {14, "Trying to connect an http1.x server", ErrorCode::kNotVtgate, Retriable::kNo},
      {14, "failed to connect to all addresses; last error: Failed parsing HTTP/2", ErrorCode::kNotVtgate,
       Retriable::kNo},
      {14, "Socket closed", ErrorCode::kStreamBroken, Retriable::kYes},
      {14, "vstream failed liveness checks as there was no activity", ErrorCode::kStreamBroken, Retriable::kYes},
      {14, "vstream exceeded maximum age of 1m0s (jitter: 2s)", ErrorCode::kStreamBroken, Retriable::kAtOnce},
      {1, "timed out while waiting for skew to reduce for stream ks/shard from ks/shard", ErrorCode::kStreamBroken,
       Retriable::kYes},
      {5, "target: commerce.0.primary: tablet: cell:\"zone1\" uid:101 is either down or nonexistent",
       ErrorCode::kStreamBroken, Retriable::kYes},
      {2, "vstream ended unexpectedly", ErrorCode::kStreamBroken, Retriable::kYes},
      {17, "not serving", ErrorCode::kStreamBroken, Retriable::kYes},
      {4, "Deadline Exceeded", ErrorCode::kStreamBroken, Retriable::kYes},
      {0, "", ErrorCode::kStreamBroken, Retriable::kYes},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const Error error = classify({.code = one.code, .text = one.text});
    CHECK(error.code == one.expected);
    CHECK(error.retriable == one.retriable);
  }
}

TEST_CASE("the statement and its values never get into a message") {
  const Error error = vstream::classify_sql(
      6, "Duplicate entry 's1' (errno 1062) (sqlstate 23000) (CallerID: me): Sql: \"insert\", BindVars: {secret}");
  CHECK(error.message.find("secret") == std::string::npos);
  CHECK(error.grpc_text == "Duplicate entry 's1' (errno 1062) (sqlstate 23000)");
}
