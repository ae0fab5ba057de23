#include "model/remember.h"

namespace webformer {

Memory remember(const Stack& decoder, const Rows& rows, ConstMatrix encoded, Pass& pass) {
  Memory memory;
  memory.begin = rows.begin;
  const std::int64_t width = std::int64_t(decoder.config.kv_heads) * decoder.config.head_size;
  for (int i = 0; i < decoder.config.layers; ++i) {
    memory.keys.emplace_back(Shape{encoded.rows, width});
    memory.values.emplace_back(Shape{encoded.rows, width});
    decoder.layer(i).cross_attention->remember(encoded, memory.keys.back().matrix(), memory.values.back().matrix(), pass);
  }
  return memory;
}

}  // namespace webformer
