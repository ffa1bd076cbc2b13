#include "vtgate/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vstream {
namespace {

// gRPC codes that decide when no text does.
enum GrpcCode : int {
  kOk = 0,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

struct Rule {
  std::string_view part;  ///< looked for anywhere in the text
  ErrorCode code;
  std::string_view message;
  std::string_view hint;
  Retriable retriable = Retriable::kNo;
};

constexpr std::string_view kPositionHint =
    "the transactions after it are gone from the binlogs: start again with --from copy, or from a newer position";
constexpr std::string_view kPortHint =
    "is this VTGate's gRPC port (vtgate --grpc-port), and not its MySQL or web port?";

// The first rule whose part occurs decides: specific texts stand before the ones that wrap them.
constexpr std::array kRules = {
    Rule{"purged required binary logs", ErrorCode::kPositionLost, "the position can no longer be served",
         kPositionHint},
    Rule{"(errno 1236)", ErrorCode::kPositionLost, "the position can no longer be served", kPositionHint},
    Rule{"(errno 1789)", ErrorCode::kPositionLost, "the position can no longer be served", kPositionHint},
    Rule{
        "GTIDSet Mismatch", ErrorCode::kPositionLost, "the position lies ahead of what the tablet has",
        "is it from this cluster? A replica that lags catches up; transactions that were lost in a failover never come",
        Retriable::kUnknown},
    Rule{"partial row image encountered", ErrorCode::kRowImage, "the shard's row images are not complete",
         "set binlog_row_image=FULL on the shard's primary"},
    Rule{"minimal binlog_row_image is not supported", ErrorCode::kRowImage, "the shard's row images are minimal",
         "set binlog_row_image=FULL on the shard's MySQL servers"},
    Rule{"invalid MySQL 5.6 GTID set", ErrorCode::kInvalidPosition, "the server cannot read the position", ""},
    Rule{"unknown GTIDSet flavor", ErrorCode::kInvalidPosition, "the server cannot read the position",
         "a position begins with its flavor: MySQL56/…"},
    Rule{"could not decode position", ErrorCode::kInvalidPosition, "the server cannot read the position", ""},
    Rule{"shard provided in VGTID", ErrorCode::kUnknownShard, "the keyspace has no such shard",
         "it may have been resharded since: the shards of today are listed by `SHOW VITESS_SHARDS`"},
    Rule{"node doesn't exist: ", ErrorCode::kUnknownKeyspace, "the cluster has no such keyspace", ""},
    Rule{"unknown database", ErrorCode::kUnknownKeyspace, "the cluster has no such keyspace", ""},
    Rule{"not all journaling participants are in the stream", ErrorCode::kReshardSubset,
         "a reshard takes in shards that are not streamed", "stream all shards of the keyspace"},
    Rule{"is not present in the database", ErrorCode::kUnknownTable, "the keyspace has no such table", ""},
    Rule{"username and password must be provided", ErrorCode::kAuth, "VTGate asks for a user and a password", ""},
    Rule{"auth failure:", ErrorCode::kAuth, "VTGate does not accept this user and password", ""},
    Rule{"client certificate not authorized", ErrorCode::kAuth, "VTGate does not accept this client certificate", ""},
    Rule{"not connected via TLS", ErrorCode::kAuth, "VTGate accepts TLS connections only", ""},
    Rule{"Received message larger than max", ErrorCode::kMessageTooLarge, "a response is larger than is allowed",
         "raise --max-message-size"},
    Rule{"trying to send message larger than max", ErrorCode::kMessageTooLarge,
         "a response is larger than VTGate may send", "raise vtgate's --grpc-max-message-size"},
    Rule{"stream needs a position or a table to copy", ErrorCode::kRejected, "there is nothing to copy", ""},
    Rule{"lastpk for table", ErrorCode::kRejected, "the server refuses the copy cursor", ""},
    Rule{"cannot build a row streamer plan", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"failed to build table replication plan", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"vindexType \"", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"unsupported constraint", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"comparison operator", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"cannot use column names in vstream filter", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"enum or set column", ErrorCode::kRejected, "the server cannot read an ENUM or SET column", ""},
    Rule{"cannot determine table columns", ErrorCode::kRejected,
         "the schema at this position is not known to the tablet",
         "run vttablet with --track-schema-versions, or start from a later position"},
    Rule{"unknown table ", ErrorCode::kRejected, "the schema at this position is not known to the tablet",
         "run vttablet with --track-schema-versions, or start from a later position"},
    Rule{"not found in table", ErrorCode::kRejected, "the server refuses the filter", ""},
    Rule{"No partition found for tabletType", ErrorCode::kNoTablet, "there is no tablet of that type", ""},
    Rule{"no healthy tablet available", ErrorCode::kStreamBroken, "no tablet of that type is serving", "",
         Retriable::kYes},
    Rule{" tablet for VStream in ", ErrorCode::kStreamBroken, "VTGate found no tablet that can serve the position",
         "no tablet of that type is serving, or none of them has the position", Retriable::kYes},
    Rule{"vstream exceeded maximum age", ErrorCode::kStreamBroken, "VTGate ended the stream because of its age", "",
         Retriable::kAtOnce},
    // What gRPC itself says when something else than a gRPC server answers.
    Rule{"Failed parsing HTTP/2", ErrorCode::kNotVtgate, "what answers there does not speak gRPC", kPortHint},
    Rule{"Trying to connect an http1.x server", ErrorCode::kNotVtgate, "what answers there does not speak gRPC",
         kPortHint},
    Rule{"Received http2 header with status", ErrorCode::kNotVtgate, "what answers there is no VTGate", kPortHint},
    Rule{"frame size", ErrorCode::kNotVtgate, "what answers there does not speak gRPC", kPortHint},
};

// VTGate starts with "unsupported:" or "unexpected:" where it refuses a statement or a filter.
constexpr std::array<std::string_view, 2> kRefusals = {"unsupported:", "unexpected:"};

Error judge_by_code(const StatusView& status) {
  switch (status.code) {
    case kUnauthenticated:
    case kPermissionDenied: return {.code = ErrorCode::kAuth, .message = "VTGate does not permit this"};
    case kInvalidArgument: return {.code = ErrorCode::kRejected, .message = "the server refuses the request"};
    case kUnimplemented:
      return {.code = ErrorCode::kNotVtgate,
              .message = "the server has no VTGate service",
              .hint = "run vtgate with --service-map grpc-vtgateservice; " + std::string(kPortHint)};
    case kResourceExhausted:
      return {
          .code = ErrorCode::kStreamBroken, .message = "VTGate is out of some resource", .retriable = Retriable::kYes};
    case kUnavailable:
      return {.code = ErrorCode::kStreamBroken, .message = "the connection was lost", .retriable = Retriable::kYes};
    case kDeadlineExceeded:
      return {.code = ErrorCode::kStreamBroken, .message = "no answer in time", .retriable = Retriable::kYes};
    case kOk:
      return {.code = ErrorCode::kStreamBroken, .message = "the server ended the stream", .retriable = Retriable::kYes};
    default: return {.code = ErrorCode::kStreamBroken, .message = "the stream failed", .retriable = Retriable::kYes};
  }
}

Error judge(const StatusView& status) {
  const auto occurs = [&](std::string_view part) { return status.text.find(part) != std::string_view::npos; };
  for (const Rule& rule : kRules) {
    if (occurs(rule.part)) {
      return {.code = rule.code,
              .message = std::string(rule.message),
              .hint = std::string(rule.hint),
              .retriable = rule.retriable};
    }
  }
  if (std::any_of(kRefusals.begin(), kRefusals.end(), occurs)) {
    return {.code = ErrorCode::kRejected, .message = "the server refuses the request"};
  }
  return judge_by_code(status);
}

}  // namespace

std::string_view without_bind_values(std::string_view text) {
  text = text.substr(0, text.find("(CallerID"));
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

Error classify(const StatusView& status) {
  Error error = judge(status);
  error.grpc_code = status.code;
  error.grpc_text = std::string(without_bind_values(status.text));
  if (!error.grpc_text.empty()) error.message += ": " + error.grpc_text;
  return error;
}

Error classify_sql(int code, std::string_view text) {
  Error error = classify({.code = code, .text = text});
  if (error.code == ErrorCode::kStreamBroken && code != kUnavailable) {
    error.code = ErrorCode::kRejected;
    error.message = "VTGate could not answer a question: " + error.grpc_text;
  }
  return error;
}

}  // namespace vstream
