#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vstream/error.h"

namespace vstream {

/// A temporary file without a name, for what does not fit into memory. It and its disk space are gone when the object
/// is, however the process ends. Made in TMPDIR, or in /tmp. Move-only, not synchronised.
class SpillFile {
 public:
  /// Errors: kOutput.
  static Result<SpillFile> create();
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&& other) noexcept;
  ~SpillFile();

  /// Appends all of `bytes`. Errors: kOutput (a full disk …); what the file holds then is of no use any more.
  Result<void> append(std::string_view bytes);
  /// Reads `count` bytes from `offset` on into `to`. They must have been appended. Errors: kOutput.
  Result<void> read(std::uint64_t offset, char* to, std::size_t count) const;
  std::uint64_t size() const { return size_; }

  /// TMPDIR, or /tmp.
  static std::string folder();
  /// True if files there are kept in memory (tmpfs, ramfs), so that spilling saves nothing.
  static bool folder_is_memory();

 private:
  explicit SpillFile(int fd) : fd_(fd) {}

  int fd_;
  std::uint64_t size_ = 0;
};

}  // namespace vstream
