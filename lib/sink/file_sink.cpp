#include "sink/file_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sink/fd_sink.h"

namespace vstream {
namespace {

std::unexpected<Error> failed(std::string_view what, const std::string& path) {
  const int error = errno;
  return fail(ErrorCode::kOutput, fmt::format("could not {} \"{}\": {}", what, path, std::strerror(error)), "",
              Retriable::kUnknown);
}

// A longer unfinished line is no line of ours worth guessing about.
constexpr std::uint64_t kLongestTail = std::uint64_t{256} << 20U;
constexpr std::uint64_t kPiece = std::size_t{64} << 10U;

// Reads [from, from + text.size()) of the file.
bool read_at(int fd, std::uint64_t from, std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(from + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// The text after the file's last line break, as far as it is worth looking at. False if it cannot be read.
bool read_last_line(int fd, std::uint64_t size, std::string& line) {
  // Ever larger ends of the file, so that a long line costs no more than a few times its length.
  for (std::uint64_t window = kPiece;; window *= 8) {
    line.resize(std::min({size, window, kLongestTail}));
    if (!read_at(fd, size - line.size(), line)) return false;
    const std::size_t line_break = line.rfind('\n');
    if (line_break != std::string::npos) line.erase(0, line_break + 1);
    if (line_break != std::string::npos || window >= std::min(size, kLongestTail)) return true;
  }
}

enum class LastLine : std::uint8_t { kWhole, kUnfinished, kForeign };

// Judges a JSON object by where the parser gives up: an unfinished one is right up to its end.
LastLine judge(std::string_view line) {
  struct Parser : nlohmann::json::json_sax_t {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
      failed_at = position;
      return false;
    }
    std::size_t failed_at = 0;
  } parser;
  if (!line.starts_with('{')) return LastLine::kForeign;
  if (nlohmann::json::sax_parse(line.begin(), line.end(), &parser)) return LastLine::kWhole;
  return parser.failed_at > line.size() ? LastLine::kUnfinished : LastLine::kForeign;
}

// A FIFO is opened for writing only: it must have a reader, and tell when that goes away. It is not waited for one: no
// signal and no deadline could end that.
int open_for_appending(const std::string& path) {
  struct stat info = {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  int direction = exists && !S_ISREG(info.st_mode) ? O_WRONLY : O_RDWR;
  if (exists && S_ISFIFO(info.st_mode)) direction |= O_NONBLOCK;
  return ::open(path.c_str(), direction | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

}  // namespace

Result<std::unique_ptr<Sink>> FileSink::open(const std::string& path, LogHook log) {
  const int fd = open_for_appending(path);
  struct stat info = {};
  if (fd < 0 && errno == ENXIO) {
    return fail(ErrorCode::kOutput, fmt::format("could not open \"{}\": nobody reads it", path),
                "start the reader of the FIFO first", Retriable::kYes);
  }
  if (fd < 0 || ::fstat(fd, &info) != 0) return failed("open", path);
  if (!S_ISREG(info.st_mode)) {
    auto sink = std::make_unique<FdSink>(fd, fmt::format("\"{}\"", path));
    ::close(fd);
    return sink;
  }
  std::unique_ptr<FileSink> sink(new FileSink(path, std::move(log)));
  if (auto used = sink->use(fd, info); !used) return std::unexpected(std::move(used.error()));
  return sink;
}

FileSink::~FileSink() {
  if (fd_ >= 0) ::close(fd_);
}

void FileSink::say(LogLevel level, const std::string& text) const {
  if (log_) log_(level, text);
}

// Takes the descriptor over.
Result<void> FileSink::use(int fd, const struct stat& info) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  size_ = static_cast<std::uint64_t>(info.st_size);
  return mend_last_line();
}

Result<void> FileSink::mend_last_line() {
  std::string line;
  if (!read_last_line(fd_, size_, line)) return failed("read", path_);
  if (line.empty()) return {};
  const LastLine last = judge(line);
  if (last == LastLine::kForeign) {
    return fail(ErrorCode::kForeignFile,
                fmt::format("cannot append to \"{}\": its last line has no line break and is no JSON object", path_),
                "give another file, or end its last line with a line break");
  }
  if (last == LastLine::kWhole) return append("\n");
  if (::ftruncate(fd_, static_cast<off_t>(size_ - line.size())) != 0) {
    return failed("cut the unfinished last line of", path_);
  }
  say(LogLevel::kWarning, fmt::format("removed {} bytes of an unfinished last line from \"{}\"", line.size(), path_));
  return {};
}

Result<void> FileSink::reopen() {
  const int fd = open_for_appending(path_);
  struct stat info = {};
  if (fd < 0 || ::fstat(fd, &info) != 0) return failed("open", path_);
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return fail(ErrorCode::kOutput, fmt::format("\"{}\" is no regular file any more", path_));
  }
  return use(fd, info);
}

// Before the first lines of a transaction: is this still the file of that name, and where does it end?
Result<void> FileSink::begin() {
  if (in_transaction_) return {};
  struct stat info = {};
  const bool found = ::stat(path_.c_str(), &info) == 0;
  const bool same = found && info.st_dev == device_ && info.st_ino == inode_;
  if (reopen_.exchange(false) || !same) {
    if (auto opened = reopen(); !opened) return opened;
    say(LogLevel::kInfo, same ? fmt::format("opened \"{}\" again", path_)
                              : fmt::format("\"{}\" was moved or replaced: went on in a new file", path_));
    if (::fstat(fd_, &info) != 0) return failed("look at", path_);
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
  in_transaction_ = true;
  return {};
}

Result<void> FileSink::append(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(fd_, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", path_);
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// False if the file may end in the middle of a transaction.
bool FileSink::cut_back() {
  if (!std::exchange(in_transaction_, false)) return true;
  struct stat info = {};
  if (::fstat(fd_, &info) != 0) return false;
  return std::cmp_less_equal(info.st_size, size_) || ::ftruncate(fd_, static_cast<off_t>(size_)) == 0;
}

Result<void> FileSink::write_part(std::string_view lines) {
  if (auto begun = begin(); !begun) return begun;
  auto written = append(lines);
  if (!written && !cut_back()) written.error().hint = "the file may end in the middle of a transaction";
  return written;
}

Result<void> FileSink::write(std::string_view lines) {
  auto written = write_part(lines);
  in_transaction_ = false;
  return written;
}

}  // namespace vstream
