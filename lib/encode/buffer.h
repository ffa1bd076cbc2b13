#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace vstream {

/// A growing run of bytes that is written through raw pointers: `char* p = buffer.room(n); …; buffer.end_at(p);`.
/// Unlike std::string it neither clears nor checks what it is given. Move-only (what was moved from can only be
/// assigned to or destroyed), not synchronised.
class Buffer {
 public:
  /// A place for at least `count` bytes behind what is there. Valid until the next call of room().
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return data_.get() + size_;
  }
  /// Takes what was written from room() up to `end`.
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - data_.get()); }

  void append(std::string_view text) {
    if (text.empty()) return;  // its data() may be null
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void push(char c) {
    *room(1) = c;
    ++size_;
  }
  /// Writes over what is there; `text` ends within it.
  void overwrite(std::size_t at, std::string_view text) { std::memcpy(data_.get() + at, text.data(), text.size()); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The memory that it holds, in bytes.
  std::size_t capacity() const { return capacity_; }
  std::string_view view() const { return {data_.get(), size_}; }
  void truncate(std::size_t size) { size_ = std::min(size_, size); }
  void clear() { size_ = 0; }
  /// Gives memory above `keep` bytes back, so that one huge transaction is not paid for ever. Only when empty.
  void shrink(std::size_t keep) {
    if (size_ == 0 && capacity_ > keep) {
      data_.reset();
      capacity_ = 0;
    }
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max({size_ + count, capacity_ * 2, std::size_t{4096}});
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace vstream
