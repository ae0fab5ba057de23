#pragma once
// From a weight type to the code of its format.

#include "kernels/f16_panels.h"
#include "kernels/f32_panels.h"
#include "kernels/int4_panels.h"
#include "kernels/int8_panels.h"
#include "kernels/weights.h"

namespace webformer {

template <class F, class Visit>
auto with_format(WeightType type, Visit visit) {
  switch (type) {
    case WeightType::f16: return visit(F16Panels<F>());
    case WeightType::int8: return with_dot<F>([&](auto dot) { return visit(Int8Panels<decltype(dot)>()); });
    case WeightType::int4: return with_nibble_dot<F>([&](auto dot) { return visit(Int4Panels<decltype(dot)>()); });
    case WeightType::f32: break;
  }
  return visit(F32Panels<F>());
}

}  // namespace webformer
