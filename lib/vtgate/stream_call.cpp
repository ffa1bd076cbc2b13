#include "vtgate/stream_call.h"

#include <vector>

#include "vtgate/classify.h"

namespace vstream {
namespace {

// What a completion is about.
enum Tag : std::uintptr_t { kStarted = 1, kSent, kRead, kFinished, kWake };

void* tag(Tag value) { return reinterpret_cast<void*>(value); }

grpc::ByteBuffer serialize(const vtgate::VStreamRequest& request) {
  const grpc::Slice slice(request.SerializeAsString());
  return {&slice, 1};
}

// A response that gRPC cut into slices is put together once, into memory that is kept up to this size.
constexpr std::size_t kKeptBytes = std::size_t{4} << 20U;

}  // namespace

StreamCall::StreamCall(const std::shared_ptr<grpc::Channel>& channel, const vtgate::VStreamRequest& request)
    : request_(serialize(request)) {
  grpc::GenericStub stub(channel);
  call_ = stub.PrepareCall(&context_, "/vtgateservice.Vitess/VStream", &queue_);
  call_->StartCall(tag(kStarted));
}

StreamCall::~StreamCall() {
  if (!ended_) context_.TryCancel();
  alarm_.Cancel();
  if (!ended_ && !finishing_) call_->Finish(&status_, tag(kFinished));
  queue_.Shutdown();
  void* event = nullptr;
  bool ok = false;
  while (queue_.Next(&event, &ok)) {
  }
}

void StreamCall::wake() { alarm_.Set(&queue_, gpr_inf_past(GPR_CLOCK_REALTIME), tag(kWake)); }

void StreamCall::read() { call_->Read(&buffer_, tag(kRead)); }

void StreamCall::finish() {
  if (finishing_) return;
  finishing_ = true;
  call_->Finish(&status_, tag(kFinished));
}

void StreamCall::take_response() {
  if (buffer_.TrySingleSlice(&slice_).ok()) {
    response_ = {reinterpret_cast<const char*>(slice_.begin()), slice_.size()};
    return;
  }
  std::vector<grpc::Slice> slices;
  joined_.clear();
  if (joined_.capacity() > kKeptBytes) joined_.shrink_to_fit();
  joined_.reserve(buffer_.Length());
  if (buffer_.Dump(&slices).ok()) {
    for (const grpc::Slice& slice : slices) joined_.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  response_ = joined_;
}

StreamCall::Outcome StreamCall::next(Deadline deadline) {
  if (has_response_) read();
  has_response_ = false;
  while (!ended_) {
    void* event = nullptr;
    bool ok = false;
    if (queue_.AsyncNext(&event, &ok, deadline) == grpc::CompletionQueue::TIMEOUT) return Outcome::kTimeout;
    switch (static_cast<Tag>(reinterpret_cast<std::uintptr_t>(event))) {
      case kStarted:
        if (ok) {
          call_->WriteLast(request_, grpc::WriteOptions(), tag(kSent));
        } else {
          finish();
        }
        break;
      case kSent:
        if (ok) {
          read();
        } else {
          finish();
        }
        break;
      case kRead:
        if (ok) {
          take_response();
          has_response_ = true;
          return Outcome::kResponse;
        }
        finish();
        break;
      case kFinished:
        ended_ = true;
        error_ = classify({.code = status_.error_code(), .text = status_.error_message()});
        break;
      case kWake: return Outcome::kWoken;
    }
  }
  return Outcome::kEnded;
}

}  // namespace vstream
