#include "core/tensor.h"

#include <algorithm>

namespace webformer {

Shape::Shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > max_rank) throw Error(Code::invalid_argument, "shape: {} axes found, at most {} allowed", sizes.size(), max_rank);
  constexpr std::int64_t limit = std::int64_t(1) << 53;  // every size stays exact in JavaScript's numbers
  for (const std::int64_t size : sizes) {
    if (size < 0) throw Error(Code::invalid_argument, "shape: axis {} has size {}, at least 0 expected", rank_, size);
    if (size != 0 && size_ > limit / size)
      throw Error(Code::invalid_argument, "shape: axis {} of size {} makes more than 2^53 elements", rank_, size);
    sizes_[std::size_t(rank_++)] = size;
    size_ *= size;
  }
}

bool Shape::operator==(const Shape& other) const noexcept { return std::ranges::equal(sizes(), other.sizes()); }

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape.sizes()) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

}  // namespace webformer
