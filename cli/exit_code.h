#pragma once

#include "vstream/error.h"

namespace vstream::cli {

/// What the process ends with: the numbers of sysexits.h. The manual says when each occurs and whether to try again.
enum class ExitCode : int {
  kOk = 0,
  kNo = 1,  ///< a deadline passed before the goal was met; a call was not as the scenario expects
  kUsage = 64,
  kData = 65,
  kNoInput = 66,
  kUnavailable = 69,
  kSoftware = 70,
  kIo = 74,
  kTryAgain = 75,
  kPositionLost = 76,
  kNoPermission = 77,
  kSignal = 128,  ///< plus the number of the signal: it ended before all was written
};

ExitCode exit_code(ErrorCode code);

}  // namespace vstream::cli
