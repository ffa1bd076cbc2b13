// reference_tool TRANSCRIPT [--mark]: prints the lines of a recorded stream, for the golden files in tests/golden.
#include <cstdio>
#include <string>
#include <string_view>

#include "reference_writer.h"
#include "transcript.h"

int main(int argc, char** argv) {
  const bool mark = argc == 3 && std::string_view(argv[2]) == "--mark";
  if (argc != 2 && !mark) {
    std::fputs("usage: reference_tool TRANSCRIPT [--mark]\n", stderr);
    return 64;
  }
  const auto responses = vstream::reference::read_transcript(argv[1]);
  if (!responses) {
    std::fprintf(stderr, "reference_tool: %s\n", responses.error().c_str());
    return 65;
  }
  const auto result = vstream::reference::reference_lines(*responses, {.partial_mark = mark});
  for (const std::string& line : result.lines) std::puts(line.c_str());
  if (!result.error.empty()) std::fprintf(stderr, "reference_tool: stopped: %s\n", result.error.c_str());
  return 0;
}
