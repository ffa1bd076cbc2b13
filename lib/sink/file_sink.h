#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "vstream/log.h"
#include "vstream/sink.h"

namespace vstream {

/// Appends whole transactions to a regular file, so that it always ends at the end of one.
///
/// A file whose last line has no line break was cut short: the unfinished beginning of a JSON object is removed, a
/// complete one gets its line break, anything else is not ours and is refused untouched. When a write fails (a full
/// disk, a quota, a size limit) the file is cut back to the end of the last transaction that was written. Between
/// transactions a file that was moved away or replaced is opened anew by its name, for log rotation; the new one is
/// treated as at the start. A file that others truncate or append to is not harmed by a cut.
class FileSink : public Sink {
 public:
  /// Opens or creates `path`. What is no regular file (a pipe with a name, /dev/null) gets an FdSink.
  /// Errors: kOutput (cannot be opened or written), kForeignFile.
  static Result<std::unique_ptr<Sink>> open(const std::string& path, LogHook log);
  ~FileSink() override;

  Result<void> write(std::string_view lines) override;
  Result<void> write_part(std::string_view lines) override;
  void drop_parts() override { cut_back(); }
  void request_reopen() override { reopen_ = true; }

 private:
  FileSink(std::string path, LogHook log) : path_(std::move(path)), log_(std::move(log)) {}
  Result<void> use(int fd, const struct stat& info);
  Result<void> mend_last_line();
  Result<void> begin();
  Result<void> reopen();
  Result<void> append(std::string_view lines);
  bool cut_back();
  void say(LogLevel level, const std::string& text) const;

  std::string path_;
  LogHook log_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool in_transaction_ = false;
  std::uint64_t size_ = 0;  // where the transaction that is being written begins
  std::atomic<bool> reopen_ = false;
};

}  // namespace vstream
