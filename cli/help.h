#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace vstream::cli {

/// Help that starts with examples; in the list of commands only the short description stands.
class ExamplesFirst : public CLI::Formatter {
 public:
  explicit ExamplesFirst(std::string examples) : examples_(std::move(examples)) {}
  std::string make_description(const CLI::App* command) const override {
    return command->get_description() + ".\n\nExamples:\n" + examples_ + "\n";
  }

 private:
  std::string examples_;
};

inline void set_examples(CLI::App& command, const char* examples) {
  command.formatter(std::make_shared<ExamplesFirst>(examples));
}

}  // namespace vstream::cli
