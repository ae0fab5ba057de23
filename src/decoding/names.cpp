#include "decoding/names.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace webformer {

std::string snake_case(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) result += '_';
    result += upper ? char(c - 'A' + 'a') : c;
  }
  return result;
}

std::string camel_case(std::string_view name) {
  std::string result;
  bool word_begins = false;
  for (const char c : name) {
    if (c == '_') {
      word_begins = true;
    } else {
      result += std::exchange(word_begins, false) && c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    }
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a's first i bytes from each beginning of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
    }
  }
  return row.back();
}

}  // namespace webformer
