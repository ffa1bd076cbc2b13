#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace vstream {

/// What went wrong, in the terms of who has to act. The names (`error_name`) are API; texts are not.
/// The exit code of each is in `cli/exit_code.h`.
enum class ErrorCode : std::uint8_t {
  kUsage,            ///< an option or a combination of options is wrong
  kInvalidPosition,  ///< a GTID set or VGTID does not parse, or does not fit what is streamed
  kDecode,           ///< an event from the server cannot be decoded
  kPoison,           ///< a transaction that the tablet cannot read, time after time
  kPartialImage,     ///< a row image misses columns (binlog_row_image, PARTIAL_JSON)
  kForeignFile,      ///< an output file is not ours to append to
  kInvalidFile,      ///< an input file (transcript, position) does not parse
  kUnknownKeyspace,  ///< the cluster has no such keyspace
  kUnknownShard,     ///< the keyspace has no such shard
  kUnknownTable,     ///< the keyspace has no such table
  kNoTablet,         ///< no tablet of the asked type for a shard
  kRejected,         ///< the server refuses the request for good: filter, schema, position text
  kRowImage,         ///< the server's row image setting cannot be streamed
  kReshardSubset,    ///< a reshard reaches beyond the streamed shards
  kNotVtgate,        ///< something answers there, but not a VTGate gRPC service
  kMessageTooLarge,  ///< a response is larger than --max-message-size
  kInternal,         ///< a bug of ours
  kOutput,           ///< output could not be written
  kReaderGone,       ///< the reader of our output has closed it
  kUnreachable,      ///< no connection could be made
  kStreamBroken,     ///< the stream ended though nobody asked for it
  kPositionLost,     ///< the position can never be served again
  kAuth,             ///< authentication or authorisation failed
};

/// Whether doing the same again can help.
enum class Retriable : std::uint8_t {
  kNo,
  kYes,
  kUnknown,
  kAtOnce  ///< nothing is wrong: VTGate ends streams of a certain age
};

/// An error as a value: what, why, what to do. `message` is lower case, without a full stop, names the object in
/// quotes, then the cause; `hint` (may be empty) is a sentence or command that helps.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint = {};
  Retriable retriable = Retriable::kNo;
  std::string keyspace = {};  ///< where it happened, if known
  std::string shard = {};
  int grpc_code = -1;          ///< the gRPC status that was received, -1: none
  std::string grpc_text = {};  ///< its text, cut before bind values
};

/// "POSITION_LOST" for kPositionLost, and so on: the stable name of a code.
std::string_view error_name(ErrorCode code);

template <typename T>
using Result = std::expected<T, Error>;

/// Shorthand for returning an error: `return fail(ErrorCode::kUsage, "…", "…");`
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {},
                                   Retriable retriable = Retriable::kNo) {
  return std::unexpected(
      Error{.code = code, .message = std::move(message), .hint = std::move(hint), .retriable = retriable});
}

}  // namespace vstream
