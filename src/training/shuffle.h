#pragma once

#include <vector>

#include "core/random.h"

namespace webformer {

/// Every order with the same probability (Fisher & Yates), the same one for a seed on every machine.
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::size_t j = random.below(std::uint32_t(i));
    const T moved = items[i - 1];  // a vector of bool has no references to swap
    items[i - 1] = items[j];
    items[j] = moved;
  }
}

}  // namespace webformer
