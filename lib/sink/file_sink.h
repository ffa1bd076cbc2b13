#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "vstream/sink.h"

namespace vstream {

/// Appends whole transactions to a file, so that it always ends at the end of one.
///
/// A file whose last line has no line break was cut short: the unfinished beginning of a JSON object is removed, a
/// complete one gets its line break, anything else is not ours and is refused untouched. When a write fails (a full
/// disk) the file is cut back to where it was.
class FileSink : public Sink {
 public:
  /// Opens or creates `path`. Errors: kOutput (cannot be opened or written), kForeignFile.
  static Result<std::unique_ptr<FileSink>> open(const std::string& path);
  ~FileSink() override;

  Result<void> write(std::string_view lines) override;
  /// Bytes of an unfinished last line that open() removed.
  std::uint64_t removed_bytes() const { return removed_; }

 private:
  FileSink(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Result<void> mend_last_line();

  std::string path_;
  int fd_;
  bool regular_ = true;
  std::uint64_t size_ = 0;  // up to the end of the last whole write
  std::uint64_t removed_ = 0;
};

}  // namespace vstream
