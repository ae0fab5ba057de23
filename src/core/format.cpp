#include "core/format.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace webformer {

namespace {

/// Not by std::to_chars: its tables would be 32 kB of a page's download.
template <class Number, class Read>
std::string shortest(Number value, Read read) {
  constexpr double exact = 1e15;
  const bool is_negative_zero = value == 0 && std::signbit(value);
  if (double(std::abs(value)) < exact && value == std::trunc(value) && !is_negative_zero) return std::to_string(std::int64_t(value));
  char buffer[32];
  for (int digits = 1; digits <= std::numeric_limits<Number>::max_digits10; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, double(value));
    if (read(buffer, nullptr) == value) break;
  }
  return buffer;
}

}  // namespace

std::string to_text(double value) { return shortest(value, std::strtod); }
std::string to_text(float value) { return shortest(value, std::strtof); }

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
