#pragma once

#include <memory>
#include <string_view>

namespace vstream {

/// Decides whether a JSON column's text can stand in a line as it is. Keeps its working memory from call to call.
/// Not synchronised.
class JsonChecker {
 public:
  JsonChecker();
  ~JsonChecker();
  JsonChecker(const JsonChecker&) = delete;
  JsonChecker& operator=(const JsonChecker&) = delete;

  /// True if `text` is one JSON document in valid UTF-8, at most kMaxDepth deep, without raw line breaks.
  /// Numbers of any size are fine: they are never read.
  bool accepts(std::string_view text);

  static constexpr std::size_t kMaxDepth = 1000;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vstream
