#include "core/format.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace webformer {

std::string to_text(double value) {
  // Not std::to_chars: its tables would be 32 kB of a page's download.
  constexpr double exact = 1e15;
  const bool is_negative_zero = value == 0 && std::signbit(value);
  if (std::abs(value) < exact && value == std::trunc(value) && !is_negative_zero) return std::to_string(std::int64_t(value));
  char buffer[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
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
