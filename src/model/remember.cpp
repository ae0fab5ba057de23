#include "model/remember.h"

namespace webformer {

Task<Memory> remember(const Stack& decoder, const Rows& rows, ConstMatrix encoded, Pass& pass) {
  Memory memory;
  memory.begin = rows.begin;
  memory.visible = rows.visible;
  const std::int64_t width = std::int64_t(decoder.config.kv_heads) * decoder.config.head_size;
  for (int i = 0; i < decoder.config.layers; ++i) {
    memory.keys.emplace_back(Shape{encoded.rows, width});
    memory.values.emplace_back(Shape{encoded.rows, width});
    co_await decoder.layer(i).cross_attention->remember(encoded, memory.keys.back().matrix(), memory.values.back().matrix(), pass);
  }
  co_return memory;
}

void remember_backward(const Stack& decoder, const Memory& gradient, Matrix dencoded, Backward& back) {
  for (int i = decoder.config.layers - 1; i >= 0; --i) {
    const auto index = std::size_t(i);
    decoder.layer(i).cross_attention->remember_backward(gradient.keys[index].matrix(), gradient.values[index].matrix(), dencoded, back);
  }
}

}  // namespace webformer
