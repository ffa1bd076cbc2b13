#include "stream/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace vstream {
namespace {

std::unexpected<Error> failed(std::string_view what) {
  const int error = errno;
  return fail(
      ErrorCode::kOutput,
      fmt::format("could not {} a temporary file in \"{}\": {}", what, SpillFile::folder(), std::strerror(error)),
      "transactions that are larger than --max-transaction-memory go there: give it room, or set TMPDIR to a "
      "folder that has some",
      Retriable::kUnknown);
}

// Not every file system can make a file without a name.
int open_unnamed(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string path = folder + "/vstream-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

std::string SpillFile::folder() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

bool SpillFile::folder_is_memory() {
  struct statfs info = {};
  if (::statfs(folder().c_str(), &info) != 0) return false;
  return info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC;
}

Result<SpillFile> SpillFile::create() {
  const int fd = open_unnamed(folder());
  if (fd < 0) return failed("make");
  return SpillFile(fd);
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(std::exchange(other.size_, 0)) {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

SpillFile::~SpillFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> SpillFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write to");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> SpillFile::read(std::uint64_t offset, char* to, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(fd_, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // it was shorter than what we wrote
    if (got <= 0) return failed("read back");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace vstream
