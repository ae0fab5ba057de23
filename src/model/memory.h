#pragma once
// What the decoder of an encoder-decoder model looks at: the encoder's output, as keys and values of every layer.

#include <cstdint>
#include <vector>

#include "core/tensor.h"
#include "core/workspace.h"
#include "kernels/attention.h"

namespace webformer {

/// Sources are packed: source b has rows begin[b] to begin[b + 1].
struct Memory {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int64_t> visible;  ///< how many of the first rows of each source are seen; empty: all
  std::vector<Array> keys;  ///< one a layer: [N, K*D]
  std::vector<Array> values;

  int sources() const noexcept { return int(begin.size()) - 1; }
  /// The keys and values of one source; the block list comes from the workspace.
  KeyValues view(std::size_t layer, int source, Workspace& workspace) const;
  /// A memory of the same shape with all numbers 0, for its gradient.
  Memory zeros() const;
  std::size_t bytes() const noexcept;
};

}  // namespace webformer
