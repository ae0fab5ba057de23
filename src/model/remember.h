#pragma once
// The encoder's output as the keys and values that a decoder's cross-attention looks at.

#include "model/stack.h"

namespace webformer {

/// encoded: [N, C], packed as `rows`.
/// With a tape, encoded has to stay as it is until backward.
Task<Memory> remember(const Stack& decoder, const Rows& rows, ConstMatrix encoded, Pass& pass);
/// dencoded: added to.
void remember_backward(const Stack& decoder, const Memory& gradient, Matrix dencoded, Backward& back);

}  // namespace webformer
