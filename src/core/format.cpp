#include "core/format.h"

#include <charconv>

namespace webformer {

std::string to_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

std::string fill_in(std::string_view pattern, std::initializer_list<std::string> parts) {
  std::string text;
  auto part = parts.begin();
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern.substr(at, 2) == "{}" && part != parts.end()) {
      text += *part++;
      at += 2;
    } else {
      text += pattern[at++];
    }
  }
  return text;
}

}  // namespace webformer
