#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace vstream::wire {

/// The three low bits of a tag (protobuf's encoding). 6 and 7 do not exist.
enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

/// The tag of a field as one number, for `switch`.
constexpr std::uint32_t tag(std::uint32_t field, WireType type) {
  return field << 3U | static_cast<std::uint32_t>(type);
}

/// How deep messages and unknown groups may nest, as in protobuf's own parser.
inline constexpr int kMaxDepth = 100;

/// Walks the fields of one serialized message in place, refusing exactly what protobuf's C++ parser refuses.
///
///     while (reader.next()) {
///       switch (reader.tag()) {
///         case tag(1, WireType::kBytes): view = reader.string(); break;
///         default: reader.skip();
///       }
///     }
///     if (!reader.ok()) …
///
/// After a failure every call returns false or an empty value, and ok() is false for good. The bytes must outlive the
/// reader and every view it gave. Not synchronised.
class Reader {
 public:
  /// `depth`: how many levels of messages and groups may still be opened inside this one.
  explicit Reader(std::string_view bytes, int depth = kMaxDepth)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), depth_(depth) {}

  /// Steps to the next field. False at the end of the message or on malformed bytes.
  bool next();
  std::uint32_t tag() const { return tag_; }
  bool ok() const { return ok_; }
  int depth() const { return depth_; }
  /// The bytes from the last byte read to the end of the message.
  bool at_end() const { return at_ == end_; }

  std::uint64_t varint();
  std::int64_t zigzag() {
    const std::uint64_t n = varint();
    return static_cast<std::int64_t>((n >> 1U) ^ (~(n & 1U) + 1U));
  }
  /// A length-delimited value: bytes or a message.
  std::string_view bytes();
  /// A `string`: refused when it is not valid UTF-8.
  std::string_view string() {
    const std::string_view text = bytes();
    if (!is_valid_utf8(text)) ok_ = false;
    return ok_ ? text : std::string_view();
  }
  /// Passes over the field that next() stepped to, whatever it is.
  void skip();
  void refuse() { ok_ = false; }

 private:
  void skip_group(int depth);
  void skip_value(int depth);
  bool advance(std::uint64_t count);
  std::uint64_t varint_slow();

  const char* at_;
  const char* end_;
  std::uint32_t tag_ = 0;
  int depth_;
  bool ok_ = true;
};

/// A message field that may legally occur more than once: protobuf merges the occurrences, which is the same as reading
/// their bytes one after the other, if each is well-formed by itself. They are joined in `joined`, which owns them; the
/// usual single one stays a view.
class MergedMessage {
 public:
  /// Takes the field that `reader` has stepped to; refuses it there if the occurrences do not join.
  void add(Reader& reader, std::deque<std::string>& joined);
  bool present() const { return view_.data() != nullptr; }
  std::string_view view() const { return view_; }

 private:
  std::string_view view_ = {};
  std::string* owner_ = nullptr;
};

inline bool Reader::next() {
  if (!ok_ || at_ == end_) return false;
  const auto first = static_cast<unsigned char>(*at_);
  if (first < 0x80) {
    ++at_;
    tag_ = first;
  } else {
    const char* const start = at_;
    tag_ = static_cast<std::uint32_t>(varint_slow());
    if (at_ - start > 5) ok_ = false;  // a tag has 32 bits
  }
  if (tag_ >> 3U == 0) ok_ = false;  // there is no field 0
  return ok_;
}

inline std::uint64_t Reader::varint() {
  if (ok_ && at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) return static_cast<unsigned char>(*at_++);
  return varint_slow();
}

inline std::string_view Reader::bytes() {
  const char* const start = at_;
  const std::uint64_t size = varint();
  if (at_ - start > 5) ok_ = false;  // as protobuf: a size is read from at most five bytes
  const char* const data = at_;
  return advance(size) ? std::string_view(data, size) : std::string_view();
}

}  // namespace vstream::wire
