#pragma once

#include <utility>
#include <vector>

#include "core/random.h"

namespace webformer {

/// Every order with the same probability (Fisher & Yates), the same one for a seed on every machine.
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(std::uint32_t(i))]);
}

}  // namespace webformer
