#pragma once

#include <optional>
#include <utility>

#include "vstream/checkpoint.h"
#include "vstream/error.h"

namespace vstream {

/// Keeps the checkpoint of one stream. Called from the thread that runs the stream. An error of either function ends
/// the stream and is what Stream::run() returns.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// Nothing if none was saved yet.
  virtual Result<std::optional<Checkpoint>> load() = 0;
  /// The checkpoint is durable when it returns.
  virtual Result<void> save(const Checkpoint& checkpoint) = 0;
};

/// Keeps it in memory: for tests, and for streams that need not survive their process. Not synchronised.
class MemoryStore final : public Store {
 public:
  MemoryStore() = default;
  explicit MemoryStore(Checkpoint checkpoint) : checkpoint_(std::move(checkpoint)) {}

  Result<std::optional<Checkpoint>> load() override { return checkpoint_; }
  Result<void> save(const Checkpoint& checkpoint) override {
    checkpoint_ = checkpoint;
    return {};
  }
  const std::optional<Checkpoint>& checkpoint() const { return checkpoint_; }

 private:
  std::optional<Checkpoint> checkpoint_;
};

}  // namespace vstream
