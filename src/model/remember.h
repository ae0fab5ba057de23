#pragma once
// The encoder's output as the keys and values that a decoder's cross-attention looks at.

#include "model/stack.h"

namespace webformer {

/// encoded: [N, C], packed as `rows`.
Memory remember(const Stack& decoder, const Rows& rows, ConstMatrix encoded, Pass& pass);

}  // namespace webformer
