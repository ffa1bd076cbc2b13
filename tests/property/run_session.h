#pragma once

#include <functional>
#include <stop_token>

#include "base/clock.h"
#include "history.h"
#include "judge.h"
#include "vstream/log.h"
#include "vstream/sink.h"
#include "vtgate/stream_call.h"

namespace vstream::property {

struct SessionWorld {
  const Clock& clock;
  std::function<double()> random;                         ///< 0 … 1
  std::function<std::vector<std::string>()> list_tables;  ///< that exist now
  Sink& sink;
  std::stop_token stop;
  LogHook log;
};

/// Runs the library's session on what a test puts around it.
Result<TailEnd> run_session(const History& history, const Task& task, StreamSource& source, const SessionWorld& world);

}  // namespace vstream::property
