// Bounded memory (P1, P6): where the lines of unfinished transactions are kept, and how they come back.
#include "stream/transaction_lines.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "stream/assembler.h"
#include "support/event_bytes.h"
#include "support/text_of.h"

using vstream::ErrorCode;
using vstream::TransactionLines;
using vstream::TransactionMemory;
using vstream::UnitLines;
using vstream::testing::Response;
using vstream::testing::text_of;

namespace {

constexpr std::size_t kPiece = TransactionLines::kPieceBytes;

vstream::Result<void> append(TransactionLines& lines, std::string_view line) {
  lines.buffer().append(line);
  return lines.settle();
}

/// Appends lines of `length` bytes, numbered, until there are `bytes` in all; returns them.
std::string fill(TransactionLines& lines, std::size_t bytes, std::size_t length = 1000) {
  std::string text;
  while (text.size() < bytes) {
    std::string line = std::to_string(text.size());
    line.resize(length - 1, 'x');
    line += '\n';
    REQUIRE(append(lines, line).has_value());
    text += line;
  }
  return text;
}

/// Sets TMPDIR while it lives.
class Tmpdir {
 public:
  explicit Tmpdir(const std::string& path) {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~Tmpdir() { before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// A small file system in memory; `mounted` is false where that is not allowed.
struct SmallDisk {
  explicit SmallDisk(const std::string& size)
      : path(std::filesystem::temp_directory_path() / ("vstream-disk-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path);
    mounted = ::mount("none", path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted) ::umount(path.c_str());
    std::filesystem::remove(path);
  }
  std::filesystem::path path;
  bool mounted = false;
};

}  // namespace

TEST_CASE("P1: lines come back byte for byte from one buffer, from pieces in memory and from a file") {
  for (const std::size_t memory : {std::size_t{0}, 4 * kPiece, std::size_t{100} << 20U}) {
    for (const std::size_t bytes : {std::size_t{10}, kPiece - 1, 3 * kPiece, 10 * kPiece}) {
      INFO(memory << " bytes of memory, " << bytes << " bytes of lines");
      TransactionMemory shared({.memory = memory});
      TransactionLines lines(shared, "ks", "0");
      const std::string text = fill(lines, bytes);
      CHECK(shared.held() <= memory);
      CHECK((shared.spilled() > 0) == (bytes > memory || memory == 0));
      CHECK(UnitLines(lines).size() == text.size());
      CHECK(text_of(UnitLines(lines)) == text);
      CHECK(text_of(UnitLines(lines)) == text);  // reading takes nothing away
    }
  }
}

TEST_CASE("P1: every piece is whole lines and about the size of a piece, but for longer lines") {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{100} << 20U}) {
    TransactionMemory shared({.memory = memory});
    TransactionLines lines(shared, "ks", "0");
    fill(lines, 2 * kPiece, 1000);
    fill(lines, 1, 5 * kPiece);
    fill(lines, 2 * kPiece, 77);
    UnitLines unit(lines);
    for (auto piece = unit.next(); piece && !piece->empty(); piece = unit.next()) {
      CHECK(piece->back() == '\n');
      CHECK((piece->size() <= kPiece || piece->size() >= 5 * kPiece));
      CHECK(piece->size() < 8 * kPiece);
    }
  }
}

TEST_CASE("P1: all shards share the memory; the transaction that holds most of it goes to a file") {
  TransactionMemory shared({.memory = 8 * kPiece});
  TransactionLines small(shared, "ks", "-80");
  TransactionLines large(shared, "ks", "80-");
  const std::string large_text = fill(large, 6 * kPiece);
  CHECK(shared.spilled() == 0);
  const std::string small_text = fill(small, 3 * kPiece);
  CHECK(shared.held() <= 8 * kPiece);
  CHECK(shared.spilled() == large_text.size());
  CHECK(text_of(UnitLines(small)) == small_text);
  CHECK(text_of(UnitLines(large)) == large_text);
}

TEST_CASE("P1: a transaction that is thrown away gives memory and disk back") {
  TransactionMemory shared({.memory = 2 * kPiece});
  {
    TransactionLines lines(shared, "ks", "0");
    fill(lines, 5 * kPiece);
    CHECK(shared.spilled() > 0);
    lines.clear();
    CHECK(shared.spilled() == 0);
    CHECK(shared.held() <= kPiece);
    CHECK(text_of(UnitLines(lines)).empty());
    const std::string text = fill(lines, 3 * kPiece);
    CHECK(text_of(UnitLines(lines)) == text);
  }
  CHECK(shared.held() == 0);
  CHECK(shared.spilled() == 0);
}

TEST_CASE("P1: transactions larger than the disk limit end with an error that names shard, GTID, size and option") {
  TransactionMemory shared({.memory = 0, .disk = 4096});
  TransactionLines lines(shared, "ks", "80-");
  lines.set_gtid("u:7");
  fill(lines, 4000);
  const auto refused = append(lines, std::string(96, 'x') + "\n");
  REQUIRE_FALSE(refused.has_value());
  const vstream::Error& error = refused.error();
  CHECK(error.code == ErrorCode::kOutput);
  CHECK(error.retriable == vstream::Retriable::kNo);
  CHECK(error.message ==
        "unfinished transactions are larger than --max-transaction-disk 4KiB (shard \"ks/80-\", GTID u:7)");
  CHECK(error.hint.find("4097 bytes") != std::string::npos);
  CHECK(error.shard == "80-");
}

TEST_CASE("P1: the disk limit is for all shards together") {
  TransactionMemory shared({.memory = 0, .disk = 10000});
  TransactionLines one(shared, "ks", "-80");
  TransactionLines two(shared, "ks", "80-");
  fill(one, 6000);
  fill(two, 4000);
  CHECK_FALSE(append(two, "x\n").has_value());
  one.clear();
  CHECK(append(one, "x\n").has_value());
}

TEST_CASE("P1: a folder that does not exist, and a file size limit, are told as what they are") {
  TransactionMemory shared({.memory = 0});
  {
    TransactionLines lines(shared, "ks", "0");
    const Tmpdir nowhere("/nonexistent");
    const auto refused = append(lines, "x\n");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kOutput);
    CHECK(refused.error().message ==
          "could not make a temporary file in \"/nonexistent\": No such file or directory (shard \"ks/0\", GTID "
          "unknown)");
  }
  TransactionLines lines(shared, "ks", "0");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto refused = append(lines, std::string(200, 'x') + "\n");
  ::setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("File too large") != std::string::npos);
}

TEST_CASE("P1: a full disk is told, and one that is kept in memory is warned about once") {
  const SmallDisk disk("512k");
  if (!disk.mounted) SKIP("mounting needs root");
  const Tmpdir there(disk.path);
  std::vector<std::string> said;
  TransactionMemory shared({.memory = 0}, [&](vstream::LogLevel, std::string_view text) { said.emplace_back(text); });
  vstream::Result<void> done = {};
  {
    TransactionLines lines(shared, "ks", "0");
    for (int i = 0; i < 1000 && done; ++i) done = append(lines, std::string(1000, 'x') + "\n");
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == ErrorCode::kOutput);
    CHECK(done.error().message.find("No space left on device") != std::string::npos);
  }
  CHECK(shared.spilled() == 0);
  TransactionLines again(shared, "ks", "0");
  CHECK(append(again, "x\n").has_value());  // the space came back
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("which is kept in memory; set TMPDIR") != std::string::npos);
}

TEST_CASE("P1: a transaction that went to a file is the same to who reads it; one that was discarded leaves nothing") {
  const auto play = [](TransactionMemory& memory) {
    std::string printed;
    vstream::Assembler assembler({.memory = &memory});
    const auto feed = [&](const Response& response) {
      REQUIRE(assembler.consume(response.bytes(), [&](const vstream::Unit& unit) -> vstream::Result<bool> {
        printed += text_of(unit.lines);
        return true;
      }));
    };
    feed(Response().begin().field("t", {{.name = "id"}}).row("t", {}, {"1"}).row("t", {}, {"2"}));
    feed(Response().begin().row("t", {}, {"3"}).row("t", {}, {"4"}));  // throws the first attempt away
    CHECK((memory.spilled() > 0) == (memory.held() == 0));
    feed(Response().row("t", {}, {"5"}).commit());
    CHECK(memory.spilled() == 0);
    feed(Response().begin().row("t", {}, {"6"}).rollback());
    CHECK(memory.spilled() == 0);
    feed(Response().begin().row("t", {}, {"7"}).commit());
    return printed;
  };
  TransactionMemory none({.memory = 0});
  TransactionMemory much;
  const std::string printed = play(much);
  CHECK(std::ranges::count(printed, '\n') == 4);
  CHECK(play(none) == printed);
}
