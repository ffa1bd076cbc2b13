#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace vstream::cli {
namespace {

constexpr std::string_view kKey = "\x1b[34m";
constexpr std::string_view kText = "\x1b[32m";
constexpr std::string_view kNumber = "\x1b[36m";
constexpr std::string_view kWord = "\x1b[90m";
constexpr std::string_view kReset = "\x1b[0m";

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::size_t string_end(std::string_view line, std::size_t at) {
  for (++at; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return at + 1;
    }
  }
  return line.size();
}

class TerminalSink : public Sink {
 public:
  TerminalSink(std::unique_ptr<Sink> inner, Colour colour) : inner_(std::move(inner)), colour_(colour) {}

  Result<void> write(std::string_view lines) override { return inner_->write(shown(lines)); }
  Result<void> write_part(std::string_view lines) override { return inner_->write_part(shown(lines)); }
  void drop_parts() override {
    held_back_ = false;
    inner_->drop_parts();
  }
  NotTaken drain() override { return inner_->drain(); }
  void give_up_at(std::chrono::steady_clock::time_point moment) override { inner_->give_up_at(moment); }
  void request_reopen() override { inner_->request_reopen(); }

 private:
  const std::string& shown(std::string_view lines) {
    escape_controls(lines);
    return colour_ == Colour::kOn ? coloured(escaped_) : escaped_;
  }

  // JSON has escaped the control characters below a space. DEL, and C1 (0xc2 and a byte from 0x80 to 0x9f), which many
  // terminals obey, too, it lets stand in strings. A part may end between the two bytes.
  void escape_controls(std::string_view lines) {
    escaped_.clear();
    for (const char c : lines) {
      const auto byte = static_cast<unsigned char>(c);
      const bool second = std::exchange(held_back_, false);
      const bool is_c1 = second && byte >= 0x80 && byte < 0xa0;
      if (second && !is_c1) escaped_ += '\xc2';
      if (is_c1 || byte == 0x7f) {
        escaped_ += fmt::format("\\u{:04x}", byte);
      } else if (byte == 0xc2) {
        held_back_ = true;
      } else {
        escaped_ += c;
      }
    }
  }

  const std::string& coloured(std::string_view lines) {
    coloured_.clear();
    std::size_t at = 0;
    while (at < lines.size()) at = add_token(lines, at);
    return coloured_;
  }

  void add(std::string_view colour, std::string_view token) { coloured_.append(colour).append(token).append(kReset); }

  // Appends the token that begins at `at`, and returns where it ends.
  std::size_t add_token(std::string_view lines, std::size_t at) {
    const char c = lines[at];
    if (c == '"') {
      const std::size_t end = string_end(lines, at);
      const bool is_key = end < lines.size() && lines[end] == ':';
      add(is_key ? kKey : kText, lines.substr(at, end - at));
      return end;
    }
    const std::size_t end = std::min(lines.find_first_of("\"{}[]:, \n", at), lines.size());
    if (end == at) {
      coloured_ += c;
      return at + 1;
    }
    add(c == 't' || c == 'f' || c == 'n' ? kWord : kNumber, lines.substr(at, end - at));
    return end;
  }

  std::unique_ptr<Sink> inner_;
  Colour colour_;
  bool held_back_ = false;  // the first byte of what may be a C1 character
  std::string escaped_;
  std::string coloured_;
};

}  // namespace

Colour colour_for(int fd, const std::string& option) {
  if (option == "always") return Colour::kOn;
  if (option == "never") return Colour::kOff;
  const char* const term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return Colour::kOff;
  if (is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR")) return Colour::kOn;
  if (is_set("NO_COLOR")) return Colour::kOff;
  return ::isatty(fd) != 0 ? Colour::kOn : Colour::kOff;
}

std::unique_ptr<Sink> make_terminal_sink(std::unique_ptr<Sink> inner, Colour colour) {
  return std::make_unique<TerminalSink>(std::move(inner), colour);
}

}  // namespace vstream::cli
