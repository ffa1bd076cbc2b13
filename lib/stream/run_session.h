#pragma once

#include <stop_token>

#include "encode/event_writer.h"
#include "stream/position_keeper.h"
#include "vstream/tail.h"

namespace vstream {

/// Where the events of a session go, and in which form.
struct Delivery {
  Sink& sink;
  EventWriter* writer = nullptr;     ///< none: native lines
  PositionKeeper* keeper = nullptr;  ///< none: nobody keeps the position
};

/// One session against a VTGate: all of tail(), with another end.
Result<TailEnd> run_session(const TailOptions& options, const Delivery& delivery, std::stop_token stop,
                            const LogHook& log, const TailHooks& hooks);

}  // namespace vstream
