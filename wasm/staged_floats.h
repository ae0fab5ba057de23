#pragma once
// Floats that JavaScript has staged, taken one tensor after the other.

#include "wasm/values.h"

namespace webformer {

class StagedFloats {
 public:
  /// The next `count` of them, valid until something else is staged. Throws internal_error where they were not staged.
  const float* take(std::int64_t count) {
    const std::size_t begin = taken_;
    taken_ += std::size_t(count);
    return reinterpret_cast<const float*>(Staging::bytes(taken_ * sizeof(float)).data()) + begin;
  }

 private:
  std::size_t taken_ = 0;
};

}  // namespace webformer
