#include "encode/json_document.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.h"

namespace vstream {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

// Two searches, because the library has a fast one for a single character only.
bool has_line_break(std::string_view text) { return text.contains('\n') || text.contains('\r'); }

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// For what simdjson cannot hold: integers beyond 64 bits.
bool accepts_slowly(std::string_view text) {
  return depth_of(text) <= JsonChecker::kMaxDepth && is_valid_utf8(text) && nlohmann::json::accept(text);
}

}  // namespace

struct JsonChecker::State {
  simdjson::dom::parser parser;
  std::string padded;
};

JsonChecker::JsonChecker() : state_(std::make_unique<State>()) {}
JsonChecker::~JsonChecker() = default;

bool JsonChecker::accepts(std::string_view text) {
  if (text.empty() || has_line_break(text)) return false;
  if (state_->parser.capacity() < text.size()) {
    if (state_->parser.allocate(std::max(text.size(), std::size_t{4096}), JsonChecker::kMaxDepth) !=
        simdjson::SUCCESS) {
      return accepts_slowly(text);
    }
  }
  // A copy with the padding that simdjson's wide loads need.
  state_->padded.assign(text);
  state_->padded.append(simdjson::SIMDJSON_PADDING, '\0');
  const auto error = state_->parser.parse(state_->padded.data(), text.size(), false).error();
  if (text.size() > kKeptBytes) state_ = std::make_unique<State>();
  if (error == simdjson::NUMBER_ERROR) return accepts_slowly(text);
  return error == simdjson::SUCCESS;
}

}  // namespace vstream
