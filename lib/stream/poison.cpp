#include "stream/poison.h"

namespace vstream {

bool PoisonRule::failed_at(const std::string& place, TimePoint now) {
  if (failures_ == 0 || place != place_) {
    place_ = place;
    failures_ = 0;
  } else if (now - last_counted_ < kApart) {
    return false;
  }
  last_counted_ = now;
  return ++failures_ >= kFailures;
}

}  // namespace vstream
