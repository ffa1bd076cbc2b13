// How lines reach a file or a pipe, and what is done with a file that was cut short, filled its disk or was moved.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "vstream/output.h"

using vstream::ErrorCode;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TempFile {
 public:
  explicit TempFile(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("vstream-sink-" + std::to_string(::getpid()));
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TempFile() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path() + ".1");
  }
  std::string path() const { return path_.string(); }
  std::string text() const { return read_file(path_); }

 private:
  std::filesystem::path path_;
};

/// A file sink and what it says.
struct Opened {
  explicit Opened(const std::string& path)
      : sink(vstream::make_file_sink(path, [this](vstream::LogLevel, std::string_view text) { said += text; })) {}
  vstream::Sink* operator->() const { return sink->get(); }

  std::string said;
  vstream::Result<std::unique_ptr<vstream::Sink>> sink;
};

/// Writes beyond `bytes` of a file fail with EFBIG while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

struct Pipe {
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(::pipe(ends.data()) == 0);
  }
  ~Pipe() {
    close_reader();
    ::close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) ::close(ends[0]);
    ends[0] = -1;
  }
  std::string read(std::size_t count) const {
    std::string text(count, '\0');
    text.resize(static_cast<std::size_t>(::read(ends[0], text.data(), count)));
    return text;
  }

  std::array<int, 2> ends = {};
};

}  // namespace

TEST_CASE("lines are appended to what a file holds") {
  const TempFile file("{\"type\":\"row\"}\n");
  const Opened sink(file.path());
  REQUIRE(sink.sink.has_value());
  REQUIRE(sink->write("{\"type\":\"end\"}\n").has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n{\"type\":\"end\"}\n");
  CHECK(sink.said.empty());
}

TEST_CASE("O5: an unfinished last line is removed, and how much of it is said") {
  const TempFile file("{\"type\":\"row\"}\n{\"type\":\"ro");
  const Opened sink(file.path());
  REQUIRE(sink.sink.has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n");
  CHECK(sink.said.starts_with("removed 11 bytes"));
}

TEST_CASE("O5: a whole last line without a line break gets one") {
  const TempFile file("{\"type\":\"row\"}");
  const Opened sink(file.path());
  REQUIRE(sink.sink.has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n");
}

TEST_CASE("a file that is not ours is refused and left as it is") {
  const TempFile file("dear diary");
  const Opened sink(file.path());
  REQUIRE_FALSE(sink.sink.has_value());
  CHECK(sink.sink.error().code == ErrorCode::kForeignFile);
  CHECK(file.text() == "dear diary");
}

TEST_CASE("every beginning of a line is known as unfinished, and nothing else") {
  const std::string line = R"({"type":"row","n":-1.5e3,"after":{"a":"\u00e9\n\"é€","b":[true,null,{}]},"x":false})";
  for (std::size_t size = 1; size < line.size(); ++size) {
    INFO(size);
    const TempFile file("{}\n" + line.substr(0, size));
    const Opened sink(file.path());
    REQUIRE(sink.sink.has_value());
    CHECK(file.text() == "{}\n");
    CHECK(sink.said.starts_with("removed " + std::to_string(size) + " bytes"));
  }
  for (const char* const foreign : {R"({"type":"row"} and more)", R"({"type":row)", "{'type'", "[1", "7", "\xff"}) {
    const TempFile file(foreign);
    CHECK_FALSE(Opened(file.path()).sink.has_value());
    CHECK(file.text() == foreign);
  }
}

TEST_CASE("a directory cannot be written to") {
  const Opened sink(std::filesystem::temp_directory_path().string());
  REQUIRE_FALSE(sink.sink.has_value());
  CHECK(sink.sink.error().code == ErrorCode::kOutput);
}

TEST_CASE("a full file is cut back to the end of the last transaction") {
  const TempFile file("");
  const Opened sink(file.path());
  REQUIRE(sink->write("{\"n\":1}\n").has_value());
  const FileSizeLimit limit(20);
  SECTION("in one write") {
    const auto written = sink->write("{\"n\":2}\n{\"n\":3}\n");
    REQUIRE_FALSE(written.has_value());
    CHECK(written.error().code == ErrorCode::kOutput);
  }
  SECTION("in the last of several parts") {
    REQUIRE(sink->write_part("{\"n\":2}\n").has_value());
    CHECK(file.text() == "{\"n\":1}\n{\"n\":2}\n");
    REQUIRE_FALSE(sink->write("{\"n\":3}\n").has_value());
  }
  CHECK(file.text() == "{\"n\":1}\n");
}

TEST_CASE("parts that will not come to their end are taken back, and what came before is not") {
  const TempFile file("");
  const Opened sink(file.path());
  REQUIRE(sink->write_part("{\"n\":1}\n").has_value());
  REQUIRE(sink->write("").has_value());
  sink->drop_parts();
  CHECK(file.text() == "{\"n\":1}\n");
  REQUIRE(sink->write_part("{\"n\":2}\n").has_value());
  sink->drop_parts();
  CHECK(file.text() == "{\"n\":1}\n");
}

TEST_CASE("a file that others truncated is never filled up by a cut") {
  const TempFile file("");
  const Opened sink(file.path());
  REQUIRE(sink->write("{\"n\":1}\n").has_value());
  REQUIRE(sink->write_part("{\"n\":2}\n").has_value());
  std::filesystem::resize_file(file.path(), 0);
  sink->drop_parts();
  CHECK(file.text().empty());
}

TEST_CASE("a file that was moved away is followed by a new one, between transactions only") {
  const TempFile file("");
  const Opened sink(file.path());
  REQUIRE(sink->write_part("{\"n\":1}\n").has_value());
  std::filesystem::rename(file.path(), file.path() + ".1");
  REQUIRE(sink->write("{\"n\":2}\n").has_value());
  CHECK(sink.said.empty());
  REQUIRE(sink->write("{\"n\":3}\n").has_value());
  CHECK(read_file(file.path() + ".1") == "{\"n\":1}\n{\"n\":2}\n");
  CHECK(file.text() == "{\"n\":3}\n");
  CHECK(sink.said.ends_with("was moved or replaced: went on in a new file"));
}

TEST_CASE("a file that is to be opened again is treated as at the start") {
  const TempFile file("");
  const Opened sink(file.path());
  REQUIRE(sink->write("{\"n\":1}\n").has_value());
  std::ofstream(file.path(), std::ios::app) << "{\"n\":";
  sink->request_reopen();
  CHECK(file.text().ends_with(":"));
  REQUIRE(sink->write("{\"n\":2}\n").has_value());
  CHECK(file.text() == "{\"n\":1}\n{\"n\":2}\n");
  CHECK(sink.said.starts_with("removed 5 bytes"));
}

TEST_CASE("a file that is replaced by one that is not ours ends the writing, and is left as it is") {
  const TempFile file("");
  const Opened sink(file.path());
  std::filesystem::rename(file.path(), file.path() + ".1");
  std::ofstream(file.path()) << "dear diary";
  const auto written = sink->write("{}\n");
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kForeignFile);
  CHECK(file.text() == "dear diary");
}

TEST_CASE("a pipe without a reader is told from other failures") {
  Pipe pipe;
  pipe.close_reader();
  const auto written = vstream::make_fd_sink(pipe.ends[1])->write("x\n");
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kReaderGone);
  const auto closed = vstream::make_fd_sink(-1)->write("x\n");
  REQUIRE_FALSE(closed.has_value());
  CHECK(closed.error().code == ErrorCode::kOutput);
}

TEST_CASE("what the reader of a pipe has not taken is waited for, and all taken is nothing left") {
  const Pipe pipe;
  const auto sink = vstream::make_fd_sink(pipe.ends[1]);
  REQUIRE(sink->write("1\n2\n").has_value());
  std::jthread reader([&] { pipe.read(100); });
  const vstream::NotTaken left = sink->drain();
  CHECK(left.lines == 0);
  CHECK_FALSE(left.reader_gone);
}

TEST_CASE("lines that stay in a pipe are counted when its reader goes away or takes too long") {
  Pipe pipe;
  const auto sink = vstream::make_fd_sink(pipe.ends[1]);
  REQUIRE(sink->write("1\n2\n3\n").has_value());
  CHECK(pipe.read(3) == "1\n2");  // the second line is not taken as a whole
  SECTION("takes too long") {
    sink->give_up_at(std::chrono::steady_clock::now());
    sink->give_up_at(std::chrono::steady_clock::time_point::max());  // the earliest counts
    const vstream::NotTaken left = sink->drain();
    CHECK(left.lines == 2);
    CHECK_FALSE(left.reader_gone);
  }
  SECTION("goes away when it has what it wanted") {
    pipe.read(100);
    pipe.close_reader();
    const vstream::NotTaken left = sink->drain();
    CHECK(left.lines == 0);
    CHECK_FALSE(left.reader_gone);
  }
  SECTION("goes away") {
    pipe.close_reader();
    const vstream::NotTaken left = sink->drain();
    CHECK(left.lines == 2);
    CHECK(left.reader_gone);
  }
}

TEST_CASE("a write into a full pipe is given up from another thread, and counts what it did not write") {
  const Pipe pipe;
  const int capacity = ::fcntl(pipe.ends[1], F_GETPIPE_SZ);
  const auto sink = vstream::make_fd_sink(pipe.ends[1]);
  const std::string line(1023, 'x');
  std::string lines;
  for (int i = 0; i < 2 * capacity / 1024; ++i) lines += line + "\n";
  std::jthread supervisor([&] { sink->give_up_at(std::chrono::steady_clock::now()); });
  const auto written = sink->write(lines);
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kOutput);
  CHECK(sink->drain().lines == static_cast<std::uint64_t>(2 * capacity / 1024));
  CHECK((::fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK) == 0);  // others may share it
}

TEST_CASE("a full disk is told as such") {
  const Opened sink("/dev/full");
  REQUIRE(sink.sink.has_value());
  const auto written = sink->write("x\n");
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kOutput);
}
