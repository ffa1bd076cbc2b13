#include "reporter.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace vstream::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";

// The length of the UTF-8 sequence at the front, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) return 0;
  }
  return length;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const bool c1 = first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return first < 0x20 || first == 0x7f || c1;
}

}  // namespace

void write_to_stderr(std::string_view text) {
  constexpr int kPatienceMs = 1000;
  while (!text.empty()) {
    pollfd wait{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&wait, 1, kPatienceMs) == 0) return;
    // A pipe that is ready takes so much without blocking.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written <= 0 && errno != EINTR) return;  // nobody can be told
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

std::string harmless(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (character == "\n") {
      out += "\n  ";
    } else if (character == "\t") {
      out += ' ';
    } else if (length == 0 || is_control(character)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(character.back()));
    } else {
      out += character;
    }
  }
  return out;
}

void Reporter::print(std::string_view style, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (colour_ == Colour::kOff) {
    write_to_stderr(fmt::format("vstream: {}\n", harmless(text)));
  } else {
    write_to_stderr(
        fmt::format("{}vstream:{} {}{}{}\n", kBold, kReset, style, harmless(text), style.empty() ? "" : kReset));
  }
}

void Reporter::log(LogLevel level, std::string_view text) {
  switch (level) {
    case LogLevel::kError: return print(kRed, text);
    case LogLevel::kWarning:
      if (verbosity_ >= 0) print(kYellow, fmt::format("warning: {}", text));
      return;
    case LogLevel::kInfo:
      if (verbosity_ >= 0) print("", text);
      return;
    case LogLevel::kDebug:
      if (verbosity_ >= 1) print("", text);
      return;
  }
}

ExitCode Reporter::error(const Error& error) {
  print(kRed, error.message);
  if (!error.hint.empty()) {
    const std::lock_guard lock(mutex_);
    write_to_stderr(fmt::format("  hint: {}\n", harmless(error.hint)));
  }
  return exit_code(error.code);
}

}  // namespace vstream::cli
