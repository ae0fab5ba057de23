#include "core/code_point_map.h"

#include <algorithm>
#include <utility>

namespace webformer {

void CodePointMap::Builder::append(std::uint32_t length, std::uint8_t value) {
  while (length > 0) {
    const std::uint32_t at = next_ & 255, part = std::min(length, 256 - at);
    std::fill_n(page_.begin() + at, part, value);
    next_ += part;
    length -= part;
    if ((next_ & 255) == 0) end_page();
  }
}

void CodePointMap::Builder::end_page() {
  const std::uint8_t value = page_[0];
  const bool is_uniform = std::ranges::all_of(page_, [value](std::uint8_t other) { return other == value; });
  if (is_uniform && uniform_[value] != 0) {
    page_of_.push_back(std::uint16_t(uniform_[value] - 1));
    return;
  }
  const std::size_t page = bytes_.size() / 256;
  page_of_.push_back(std::uint16_t(page));
  bytes_.insert(bytes_.end(), page_.begin(), page_.end());
  if (is_uniform) uniform_[value] = std::uint16_t(page + 1);
}

CodePointMap CodePointMap::Builder::finish() {
  append(max_code_point + 1 - next_, 0);
  CodePointMap result;
  result.page_of_ = std::move(page_of_);
  result.bytes_ = std::move(bytes_);
  return result;
}

}  // namespace webformer
