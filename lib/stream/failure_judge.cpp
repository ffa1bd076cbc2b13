#include "stream/failure_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vtgate/tablet_failure.h"

namespace vstream {
namespace {

using std::chrono::milliseconds;

Error poisoned(const TabletFailure& failure, Error error, const std::string& place) {
  error.code = ErrorCode::kPoison;
  error.retriable = Retriable::kNo;
  error.keyspace = failure.keyspace;
  error.shard = failure.shard;
  error.message = fmt::format(
      "the tablet of shard \"{}/{}\" fails at the same transaction every time ({} times): {} (at {})", failure.keyspace,
      failure.shard, PoisonRule::kFailures, failure.words.empty() ? error.grpc_text : failure.words,
      failure.position.empty() ? place : failure.position);
  error.hint = "nothing behind it can be streamed from here: start again with --from copy, or from a newer position";
  return error;
}

Error given_up(Error error, const Retry& retry, TimePoint now) {
  const auto tried = std::chrono::duration<double>(now - retry.failing_since());
  error.message += fmt::format(" (gave up after {:.0f} s and {} tries)", tried.count(), retry.tries());
  if (error.hint.empty()) error.hint = "--retry-for sets how long a broken stream is tried again";
  return error;
}

}  // namespace

Result<milliseconds> FailureJudge::judge(Error error, const std::string& place, TimePoint now) {
  if (error.code == ErrorCode::kOutput || error.code == ErrorCode::kReaderGone)
    return std::unexpected(std::move(error));
  const auto failure = tablet_failure(error.grpc_text);
  if (failure && poison_[failure->shard].failed_at(failure->position + place, now)) {
    return std::unexpected(poisoned(*failure, std::move(error), place));
  }
  // New FIELD events may mend it.
  const bool decode_again =
      error.code == ErrorCode::kDecode && std::exchange(undecodable_at_[error.shard], place) != place;
  // Whether it is so is asked before the next request.
  const bool lost = error.code == ErrorCode::kPositionLost && error.grpc_code >= 0;
  if (error.retriable == Retriable::kAtOnce && !retry_.failing()) return milliseconds(0);
  if (error.retriable == Retriable::kNo && !decode_again && !lost) return std::unexpected(std::move(error));
  auto delay = retry_.failed(now);
  // What is poisoned is to be told soon.
  if (delay && failure) {
    delay = std::min(*delay, std::chrono::ceil<milliseconds>(poison_[failure->shard].counts_again_at() - now));
  }
  if (delay) return *delay;
  return std::unexpected(retry_.tries() == 0 ? std::move(error) : given_up(std::move(error), retry_, now));
}

}  // namespace vstream
