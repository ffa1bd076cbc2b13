// How lines reach a file, and what is done with a file that was cut short.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "vstream/output.h"

using vstream::ErrorCode;

namespace {

class TempFile {
 public:
  explicit TempFile(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("vstream-sink-" + std::to_string(::getpid()));
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TempFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("lines are appended to what a file holds") {
  const TempFile file("{\"type\":\"row\"}\n");
  std::uint64_t removed = 0;
  auto sink = vstream::make_file_sink(file.path(), removed);
  REQUIRE(sink.has_value());
  REQUIRE((*sink)->write("{\"type\":\"end\"}\n").has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n{\"type\":\"end\"}\n");
  CHECK(removed == 0);
}

TEST_CASE("an unfinished last line is removed, and how much of it") {
  const TempFile file("{\"type\":\"row\"}\n{\"type\":\"ro");
  std::uint64_t removed = 0;
  REQUIRE(vstream::make_file_sink(file.path(), removed).has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n");
  CHECK(removed == 11);
}

TEST_CASE("a whole last line without a line break gets one") {
  const TempFile file("{\"type\":\"row\"}");
  std::uint64_t removed = 0;
  REQUIRE(vstream::make_file_sink(file.path(), removed).has_value());
  CHECK(file.text() == "{\"type\":\"row\"}\n");
}

TEST_CASE("a file that is not ours is refused and left as it is") {
  const TempFile file("dear diary");
  std::uint64_t removed = 0;
  const auto sink = vstream::make_file_sink(file.path(), removed);
  REQUIRE_FALSE(sink.has_value());
  CHECK(sink.error().code == ErrorCode::kForeignFile);
  CHECK(file.text() == "dear diary");
}

TEST_CASE("every beginning of a line is known as unfinished, and nothing else") {
  const std::string line = R"({"type":"row","n":-1.5e3,"after":{"a":"\u00e9\n\"é€","b":[true,null,{}]},"x":false})";
  std::uint64_t removed = 0;
  for (std::size_t size = 1; size < line.size(); ++size) {
    INFO(size);
    const TempFile file("{}\n" + line.substr(0, size));
    REQUIRE(vstream::make_file_sink(file.path(), removed).has_value());
    CHECK(file.text() == "{}\n");
    CHECK(removed == size);
  }
  for (const char* const foreign : {R"({"type":"row"} and more)", R"({"type":row)", "{'type'", "[1", "7", "\xff"}) {
    const TempFile file(foreign);
    CHECK_FALSE(vstream::make_file_sink(file.path(), removed).has_value());
    CHECK(file.text() == foreign);
  }
}

TEST_CASE("a directory cannot be written to") {
  std::uint64_t removed = 0;
  const auto sink = vstream::make_file_sink(std::filesystem::temp_directory_path().string(), removed);
  REQUIRE_FALSE(sink.has_value());
  CHECK(sink.error().code == ErrorCode::kOutput);
}

TEST_CASE("a pipe without a reader is told from other failures") {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto written = vstream::make_fd_sink(ends[1])->write("x\n");
  ::close(ends[1]);
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kReaderGone);
  const auto closed = vstream::make_fd_sink(-1)->write("x\n");
  REQUIRE_FALSE(closed.has_value());
  CHECK(closed.error().code == ErrorCode::kOutput);
}

TEST_CASE("a full disk is told as such") {
  std::uint64_t removed = 0;
  const auto sink = vstream::make_file_sink("/dev/full", removed);
  REQUIRE(sink.has_value());
  const auto written = (*sink)->write("x\n");
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == ErrorCode::kOutput);
}
