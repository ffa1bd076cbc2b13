#include "reporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace vstream::cli {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kReset = "\x1b[0m";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody can be told
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c == '\n') {
      out += "\n  ";
    } else if (c == '\t') {
      out += ' ';
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else {
      out += text[i];
    }
  }
  return out;
}

void Reporter::print(std::string_view style, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (colour_ == Colour::kOff) {
    write_all(fmt::format("vstream: {}\n", harmless(text)));
  } else {
    write_all(fmt::format("{}vstream:{} {}{}{}\n", kBold, kReset, style, harmless(text), style.empty() ? "" : kReset));
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
    write_all(fmt::format("  hint: {}\n", harmless(error.hint)));
  }
  return exit_code(error.code);
}

}  // namespace vstream::cli
