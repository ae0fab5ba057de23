#pragma once
// The attention kernel on tensors of [B,H,N,d], forward and backward.

#include <functional>
#include <vector>

#include "kernels/kernels.h"

namespace webformer::modules {

struct AttentionCall {
  Array query, key, value;  ///< [B,H,T,d_k], [B,H,S,d_k], [B,H,S,d_v]
  float scale = 1;
  bool causal = false;
  std::int64_t offset = 0;
  std::vector<std::uint8_t> mask;  ///< [B,T,S], or empty: 1 = visible
  std::vector<float> bias;         ///< [H,T,S], or empty

  Array output, weights, largest, sums;                ///< [B,H,T,d_v], [B,H,T,S], [B,H,T]
  Array query_gradient, key_gradient, value_gradient;  ///< as the inputs
  std::vector<float> bias_gradient;

  /// With weights all scores are kept, without them they pass by in tiles.
  void forward(bool with_weights);
  /// After a forward with weights.
  void backward(const Array& output_gradient, const Array& weights_gradient);

  std::int64_t queries() const { return query.shape[2]; }
  std::int64_t keys() const { return key.shape[2]; }

 private:
  /// Kernels know one size of head: the larger one, filled up with zeros.
  struct Item;
  void each_item(const std::function<void(Item&)>& work);
};

/// [B,1,T,S], [B,1,1,S] or [S] as [B,T,S].
std::vector<std::uint8_t> spread_mask(const Array& mask, std::int64_t batch, std::int64_t queries, std::int64_t keys);
/// What the kernel sees of keys that all weigh the same, where keys with the id `pad` are hidden. ids: [B,S]. [B,1,T,S], 1 = visible
Array seen(const std::vector<std::int32_t>& ids, std::int64_t batch, std::int32_t pad, bool causal, std::int64_t queries);

}  // namespace webformer::modules
