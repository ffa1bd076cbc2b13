#include "exit_code.h"

namespace vstream::cli {

ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kInvalidPosition: return ExitCode::kUsage;
    case ErrorCode::kDecode:
    case ErrorCode::kPoison:
    case ErrorCode::kPartialImage:
    case ErrorCode::kForeignFile: return ExitCode::kData;
    case ErrorCode::kInvalidFile: return ExitCode::kNoInput;
    case ErrorCode::kUnknownKeyspace:
    case ErrorCode::kUnknownShard:
    case ErrorCode::kUnknownTable:
    case ErrorCode::kNoTablet:
    case ErrorCode::kRejected:
    case ErrorCode::kRowImage:
    case ErrorCode::kReshardSubset:
    case ErrorCode::kNotVtgate:
    case ErrorCode::kMessageTooLarge: return ExitCode::kUnavailable;
    case ErrorCode::kInternal: return ExitCode::kSoftware;
    case ErrorCode::kOutput:
    case ErrorCode::kReaderGone: return ExitCode::kIo;
    case ErrorCode::kUnreachable:
    case ErrorCode::kStreamBroken: return ExitCode::kTryAgain;
    case ErrorCode::kPositionLost: return ExitCode::kPositionLost;
    case ErrorCode::kAuth: return ExitCode::kNoPermission;
  }
  return ExitCode::kSoftware;
}

}  // namespace vstream::cli
