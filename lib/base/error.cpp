#include "vstream/error.h"

namespace vstream {

std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "USAGE";
    case ErrorCode::kInvalidPosition: return "INVALID_POSITION";
    case ErrorCode::kDecode: return "DECODE";
    case ErrorCode::kPoison: return "POISON";
    case ErrorCode::kPartialImage: return "PARTIAL_IMAGE";
    case ErrorCode::kForeignFile: return "FOREIGN_FILE";
    case ErrorCode::kInvalidFile: return "INVALID_FILE";
    case ErrorCode::kUnknownKeyspace: return "UNKNOWN_KEYSPACE";
    case ErrorCode::kUnknownShard: return "UNKNOWN_SHARD";
    case ErrorCode::kUnknownTable: return "UNKNOWN_TABLE";
    case ErrorCode::kNoTablet: return "NO_TABLET";
    case ErrorCode::kRejected: return "REJECTED";
    case ErrorCode::kRowImage: return "ROW_IMAGE";
    case ErrorCode::kReshardSubset: return "RESHARD_SUBSET";
    case ErrorCode::kNotVtgate: return "NOT_VTGATE";
    case ErrorCode::kMessageTooLarge: return "MESSAGE_TOO_LARGE";
    case ErrorCode::kInternal: return "INTERNAL";
    case ErrorCode::kOutput: return "OUTPUT";
    case ErrorCode::kReaderGone: return "READER_GONE";
    case ErrorCode::kUnreachable: return "UNREACHABLE";
    case ErrorCode::kStreamBroken: return "STREAM_BROKEN";
    case ErrorCode::kPositionLost: return "POSITION_LOST";
    case ErrorCode::kAuth: return "AUTH";
  }
  return "INTERNAL";
}

}  // namespace vstream
