#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vstream {

/// An error that a tablet's vstreamer met while it was reading the binlog: what VTGate's text says of it.
struct TabletFailure {
  std::string keyspace;  ///< empty if the text does not name the shard
  std::string shard;
  std::string position;  ///< that it failed at, "Flavor/set"; empty if the text has none
  std::string words;     ///< the tablet's own, one line
};

/// Recognises "stream (at source tablet) error @ …" (go/vt/vttablet/tabletserver/vstreamer/vstreamer.go) and panics of
/// a tablet in the text of a status. None: the error is about something else.
std::optional<TabletFailure> tablet_failure(std::string_view text);

}  // namespace vstream
