#pragma once

#include "random_vtgate.h"
#include "test_clock.h"
#include "vtgate/stream_call.h"

namespace vstream::property {

/// The calls of a RandomVtgate without gRPC: on one thread, by a clock that jumps, the same for the same seed.
class InProcessSource final : public StreamSource {
 public:
  /// Both outlive it and its calls.
  InProcessSource(RandomVtgate& vtgate, const TestClock& clock, std::uint64_t seed)
      : vtgate_(vtgate), clock_(clock), random_(seed) {}

  std::unique_ptr<StreamCall> open(const vtgate::VStreamRequest& request) override;

 private:
  class InProcessCall;

  RandomVtgate& vtgate_;
  const TestClock& clock_;
  Random random_;
};

}  // namespace vstream::property
