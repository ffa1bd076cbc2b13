#include "vtgate/wire.h"

namespace vstream::wire {

std::uint64_t Reader::varint_slow() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; ok_ && at_ != end_ && shift < 70; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  ok_ = false;
  return 0;
}

bool Reader::advance(std::uint64_t count) {
  if (!ok_ || count > static_cast<std::uint64_t>(end_ - at_)) {
    ok_ = false;
    return false;
  }
  at_ += count;
  return true;
}

void Reader::skip() { skip_value(depth_); }

void Reader::skip_value(int depth) {
  switch (static_cast<WireType>(tag_ & 7U)) {
    case WireType::kVarint: varint(); return;
    case WireType::kFixed64: advance(8); return;
    case WireType::kBytes: bytes(); return;
    case WireType::kStartGroup: skip_group(depth); return;
    case WireType::kFixed32: advance(4); return;
    case WireType::kEndGroup: break;  // one that nothing opened
  }
  ok_ = false;
}

void Reader::skip_group(int depth) {
  const std::uint32_t end = (tag_ & ~7U) | static_cast<std::uint32_t>(WireType::kEndGroup);
  if (depth <= 0) ok_ = false;
  while (next()) {
    if (tag_ == end) return;
    skip_value(depth - 1);
  }
  ok_ = false;
}

namespace {

// True if the bytes are whole fields. What they hold is judged by who reads them.
bool is_well_formed(std::string_view message, int depth) {
  Reader reader(message, depth);
  while (reader.next()) reader.skip();
  return reader.ok();
}

}  // namespace

void MergedMessage::add(Reader& reader, std::deque<std::string>& joined) {
  const std::string_view piece = reader.bytes();
  if (!present()) {
    view_ = piece.data() != nullptr ? piece : std::string_view("");
    return;
  }
  const int depth = reader.depth() - 1;
  if (!is_well_formed(piece, depth) || (owner_ == nullptr && !is_well_formed(view_, depth))) {
    reader.refuse();
    return;
  }
  if (owner_ == nullptr) owner_ = &joined.emplace_back(view_);
  owner_->append(piece);
  view_ = *owner_;
}

}  // namespace vstream::wire
