#include "vtgate/grpc_stream_call.h"

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <string>
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

gpr_timespec to_grpc(TimePoint moment) {
  if (moment == TimePoint::max()) return gpr_inf_future(GPR_CLOCK_MONOTONIC);
  if (moment == StreamCall::kAtOnce) return gpr_inf_past(GPR_CLOCK_MONOTONIC);
  const auto left = std::chrono::ceil<std::chrono::microseconds>(moment - std::chrono::steady_clock::now());
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(left.count(), GPR_TIMESPAN));
}

class GrpcStreamCall final : public StreamCall {
 public:
  GrpcStreamCall(const std::shared_ptr<grpc::Channel>& channel, const vtgate::VStreamRequest& request);
  ~GrpcStreamCall() override;
  GrpcStreamCall(const GrpcStreamCall&) = delete;
  GrpcStreamCall& operator=(const GrpcStreamCall&) = delete;

  Outcome next(TimePoint deadline) override;
  std::string_view response() const override { return response_; }
  const Error& error() const override { return error_; }
  void wake() override;

 private:
  void read();
  void finish();
  void take_response();

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::Alarm alarm_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer buffer_;
  grpc::Slice slice_;   // keeps response_ alive when it is one slice
  std::string joined_;  // or its slices put together
  std::string_view response_;
  grpc::Status status_;
  Error error_;
  bool has_response_ = false;  // one was given out, the next is not asked for yet
  bool finishing_ = false;
  bool ended_ = false;
};

GrpcStreamCall::GrpcStreamCall(const std::shared_ptr<grpc::Channel>& channel, const vtgate::VStreamRequest& request)
    : request_(serialize(request)) {
  grpc::GenericStub stub(channel);
  call_ = stub.PrepareCall(&context_, "/vtgateservice.Vitess/VStream", &queue_);
  call_->StartCall(tag(kStarted));
}

GrpcStreamCall::~GrpcStreamCall() {
  if (!ended_) context_.TryCancel();
  alarm_.Cancel();
  if (!ended_ && !finishing_) call_->Finish(&status_, tag(kFinished));
  queue_.Shutdown();
  void* event = nullptr;
  bool ok = false;
  while (queue_.Next(&event, &ok)) {
  }
}

void GrpcStreamCall::wake() { alarm_.Set(&queue_, gpr_inf_past(GPR_CLOCK_REALTIME), tag(kWake)); }

void GrpcStreamCall::read() { call_->Read(&buffer_, tag(kRead)); }

void GrpcStreamCall::finish() {
  if (finishing_) return;
  finishing_ = true;
  call_->Finish(&status_, tag(kFinished));
}

void GrpcStreamCall::take_response() {
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

StreamCall::Outcome GrpcStreamCall::next(TimePoint deadline) {
  if (has_response_) read();
  has_response_ = false;
  while (!ended_) {
    void* event = nullptr;
    bool ok = false;
    if (queue_.AsyncNext(&event, &ok, to_grpc(deadline)) == grpc::CompletionQueue::TIMEOUT) return Outcome::kTimeout;
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

}  // namespace

std::unique_ptr<StreamCall> GrpcStreamSource::open(const vtgate::VStreamRequest& request) {
  return std::make_unique<GrpcStreamCall>(connection_.channel(), request);
}

}  // namespace vstream
