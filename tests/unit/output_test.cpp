// How units of lines reach the sink: whole, in large writes or in parts, and not a row too many.
#include "stream/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using vstream::Output;
using vstream::TransactionLines;
using vstream::TransactionMemory;
using vstream::UnitLines;

namespace {

constexpr std::size_t kPiece = TransactionLines::kPieceBytes;

/// Knows which lines are of whole transactions.
struct MemorySink final : vstream::Sink {
  vstream::Result<void> write(std::string_view lines) override {
    if (auto part = write_part(lines); !part) return part;
    whole += parts;
    parts.clear();
    return {};
  }
  vstream::Result<void> write_part(std::string_view lines) override {
    if (whole.size() + parts.size() + lines.size() > room) {
      return vstream::fail(vstream::ErrorCode::kOutput, "no room");
    }
    parts += lines;
    largest = std::max(largest, lines.size());
    return {};
  }
  void drop_parts() override { parts.clear(); }

  std::string whole;
  std::string parts;
  std::size_t largest = 0;
  std::size_t room = std::size_t{1} << 30U;
};

std::string row(std::size_t number) {
  return R"({"type":"row","n":)" + std::to_string(number) + R"(,"x":")" + std::string(100, 'x') + "\"}\n";
}

/// Rows until there are `bytes` of them; returns how many.
std::size_t fill(TransactionLines& lines, std::size_t bytes) {
  std::size_t rows = 0;
  while (lines.size() < bytes) {
    lines.buffer().append(row(rows++));
    REQUIRE(lines.settle().has_value());
  }
  return rows;
}

std::string rows(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += row(i);
  return text;
}

/// Takes the second half of every file without a name of this process away: "…/#123 (deleted)". What the process was
/// started with is not ours.
void damage_temporary_files() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    if (!std::filesystem::read_symlink(entry, none).filename().string().starts_with('#')) continue;
    const int fd = std::stoi(entry.path().filename());
    struct stat info = {};
    REQUIRE(::fstat(fd, &info) == 0);
    REQUIRE(::ftruncate(fd, info.st_size / 2) == 0);
  }
}

}  // namespace

TEST_CASE("small units are gathered until they are flushed") {
  MemorySink sink;
  vstream::RowBudget any_number(std::nullopt);
  Output output(sink, any_number);
  const std::string first = row(0);
  const std::string second = row(1);
  CHECK(output.add(std::string_view(first), 1).value());
  CHECK(output.add(std::string_view(second), 1).value());
  CHECK(sink.whole.empty());
  REQUIRE(output.flush());
  CHECK(sink.whole == rows(2));
  CHECK(output.rows() == 2);
}

TEST_CASE("P1: a large unit is written in parts, after what came before it, and then it is whole") {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{100} << 20U}) {
    TransactionMemory shared({.memory = memory});
    TransactionLines lines(shared, "ks", "0");
    const std::size_t count = fill(lines, 5 * kPiece);
    MemorySink sink;
    vstream::RowBudget any_number(std::nullopt);
    Output output(sink, any_number);
    REQUIRE(output.add(std::string_view("before\n"), 0).value());
    REQUIRE(output.add(UnitLines(lines), count).value());
    CHECK(sink.parts.empty());
    CHECK(sink.whole == "before\n" + rows(count));
    CHECK(sink.largest <= kPiece);
    CHECK(output.rows() == count);
  }
}

TEST_CASE("P1: a unit is cut exactly after the last wanted row, in whatever piece that is") {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{100} << 20U}) {
    TransactionMemory shared({.memory = memory});
    TransactionLines lines(shared, "ks", "0");
    const std::size_t count = fill(lines, 3 * kPiece);
    for (const std::size_t wanted : {std::size_t{1}, count / 2, count - 1, count}) {
      MemorySink sink;
      vstream::RowBudget budget(wanted);
      Output output(sink, budget);
      CHECK(output.add(UnitLines(lines), count).value() == (wanted == count));
      REQUIRE(output.flush());
      CHECK(sink.whole == rows(wanted));
      CHECK(output.rows() == wanted);
      CHECK(output.full());
    }
  }
}

TEST_CASE("P1: a unit that cannot be read back leaves nothing of itself behind") {
  TransactionMemory shared({.memory = 0});
  TransactionLines lines(shared, "ks", "0");
  SECTION("small") { fill(lines, 1); }
  SECTION("large") { fill(lines, 5 * kPiece); }
  damage_temporary_files();
  MemorySink sink;
  vstream::RowBudget any_number(std::nullopt);
  Output output(sink, any_number);
  REQUIRE(output.add(std::string_view("before\n"), 0).value());
  const auto added = output.add(UnitLines(lines), 1);
  REQUIRE_FALSE(added.has_value());
  CHECK(added.error().code == vstream::ErrorCode::kOutput);
  REQUIRE(output.flush());
  CHECK(sink.whole == "before\n");
  CHECK(sink.parts.empty());
}

TEST_CASE("P1: a sink that fails within a large unit is told to take back its parts") {
  TransactionMemory shared;
  TransactionLines lines(shared, "ks", "0");
  const std::size_t count = fill(lines, 5 * kPiece);
  MemorySink sink;
  sink.room = 3 * kPiece;
  vstream::RowBudget any_number(std::nullopt);
  Output output(sink, any_number);
  CHECK_FALSE(output.add(UnitLines(lines), count).has_value());
  CHECK(sink.parts.empty());
  CHECK(sink.whole.empty());
}
