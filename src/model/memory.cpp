#include "model/memory.h"

#include <algorithm>

namespace webformer {

KeyValues Memory::view(std::size_t layer, int source, Workspace& workspace) const {
  const std::int64_t first = begin[std::size_t(source)];
  const std::int64_t length = visible.empty() ? begin[std::size_t(source) + 1] - first : visible[std::size_t(source)];
  const ConstMatrix k = keys[layer].matrix(), v = values[layer].matrix();
  auto** blocks = workspace.allocate<const float*>(2);
  blocks[0] = k.row(first);
  blocks[1] = v.row(first);
  return {blocks, blocks + 1, length, std::max<std::int64_t>(length, 1), k.stride};
}

Memory Memory::zeros() const {
  Memory zeros;
  zeros.begin = begin;
  zeros.visible = visible;
  for (std::size_t layer = 0; layer < keys.size(); ++layer) {
    zeros.keys.emplace_back(keys[layer].shape);
    zeros.values.emplace_back(values[layer].shape);
  }
  return zeros;
}

std::size_t Memory::bytes() const noexcept {
  std::size_t floats = 0;
  for (std::size_t layer = 0; layer < keys.size(); ++layer) floats += keys[layer].data.size() + values[layer].data.size();
  return floats * sizeof(float);
}

}  // namespace webformer
