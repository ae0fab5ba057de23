#include "native/arguments.h"

#include <charconv>
#include <optional>

#include "core/format.h"

namespace webformer {

namespace {

constexpr std::size_t column = 30, width = 100;

const OptionSpec* find(std::span<const OptionGroup> groups, std::string_view name) {
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& option : group.options)
      if (option.name == name) return &option;
  }
  return nullptr;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Words in lines, each after an indent.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
    at = end + 1;
  }
  return result + line;
}

}  // namespace

std::string Arguments::text(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? "" : found->second.back();
}

Arguments read_arguments(std::span<const char* const> words, std::span<const OptionGroup> groups) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with("--")) {
      arguments.names.emplace_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    const OptionSpec* option = find(groups, name);
    if (!option) throw UsageError(webformer::format("--{} is no option; see --help", name));
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = word.substr(equals + 1);
    if (option->kind == OptionKind::flag) {
      if (value) throw UsageError(webformer::format("--{}: {} found, no value expected", name, *value));
      value = "";
    } else if (!value) {
      if (i + 1 == words.size()) throw UsageError(webformer::format("--{}: {} is missing", name, option->value));
      value = words[++i];
    }
    if (option->kind == OptionKind::number && !is_number(*value))
      throw UsageError(webformer::format("--{}: {} found, a number expected", name, *value));
    std::vector<std::string>& values = arguments.values[std::string(name)];
    if (!values.empty() && option->kind != OptionKind::texts) throw UsageError(webformer::format("--{}: given twice", name));
    values.push_back(std::move(*value));
  }
  return arguments;
}

std::string option_help(std::span<const OptionGroup> groups) {
  std::string text;
  for (const OptionGroup& group : groups) {
    text.append("\n").append(group.title).append("\n");
    for (const OptionSpec& option : group.options) {
      std::string left = "  --" + std::string(option.name);
      if (!option.value.empty()) left.append(" ").append(option.value);
      left += left.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - left.size(), ' ');
      text += left + wrapped(option.help, column) + "\n";
    }
  }
  return text;
}

}  // namespace webformer
