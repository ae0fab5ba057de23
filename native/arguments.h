#pragma once
// What the program takes, and what was typed, checked against it.

#include <exception>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace webformer {

/// What was typed is wrong: the program ends with 2.
class UsageError : public std::exception {
 public:
  explicit UsageError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

enum class OptionKind { flag, text, texts, number };

struct OptionSpec {
  std::string_view name;  ///< "learning-rate"
  OptionKind kind;
  std::string_view value;  ///< what the help writes for it
  std::string_view help;
};

/// A line of the help, "" kind aside: options stand in groups.
struct OptionGroup {
  std::string_view title;
  std::span<const OptionSpec> options;
};

struct Arguments {
  std::vector<std::string> names;                        ///< what is no option
  std::map<std::string, std::vector<std::string>, std::less<>> values;  ///< by option; "" for a flag

  bool has(std::string_view option) const { return values.contains(option); }
  /// "" where it was not given.
  std::string text(std::string_view option) const;
};

/// `--name value`, `--name=value`; options may stand anywhere. Throws UsageError for what is no option, a value that is missing or too
/// much, a number that is none, and an option that is given twice where once is enough.
Arguments read_arguments(std::span<const char* const> words, std::span<const OptionGroup> groups);

/// The lines of the help that list the options.
std::string option_help(std::span<const OptionGroup> groups);

}  // namespace webformer
