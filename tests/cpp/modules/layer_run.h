#pragma once
// What a layer of src/model needs around it to run forward and backward on tensors of [B,N,C].

#include <algorithm>
#include <cmath>
#include <string>

#include "model/layers.h"
#include "model/packing.h"
#include "model/recorder.h"

namespace webformer::modules {

/// Workspace, tape, gradients, and a recorder of attention's weights.
struct LayerRun {
  Workspace workspace;
  Schedule schedule;
  Tape tape;
  Gradients gradients;
  Recorder recorder{{"*.*.*.weights"}};
  Pass pass{workspace, schedule, &recorder, &tape};
  Backward back{workspace, schedule, tape, gradients};

  void finish(Task<> task) { Job<>(schedule, std::move(task)).finish(); }
};

/// Rows of a batch [B,N], packed: those of the mask (empty: all) first and, if they are kept, the others behind them, as queries that
/// nothing sees.
inline Packed pack_rows(std::int64_t batch, std::int64_t length, const std::vector<std::int32_t>& mask, bool keep_others) {
  const IdMatrix ids{batch, length, std::vector<std::int32_t>(std::size_t(batch * length))};
  return pack(ids, mask.empty() ? IdMatrix{} : IdMatrix{batch, length, mask}, {}, {}, {}, 0, keep_others, "rows");
}

/// The rows of x, [B,N,C], that are packed: [rows, C].
inline Array take_rows(const Packed& packed, const Array& x) {
  Array rows(Shape{packed.tokens.rows.total(), x.shape[2]});
  packed.repack(x, rows.matrix());
  return rows;
}

/// A stack of one layer without norms, in the sizes of attention.
inline StackConfig attention_config(int width, int heads, int kv_heads, int head_size) {
  StackConfig c;
  c.width = width;
  c.heads = heads;
  c.kv_heads = kv_heads;
  c.head_size = head_size;
  c.attention_scale = 1 / std::sqrt(float(head_size));
  c.layers = c.distinct_layers = 1;
  c.layer.resize(1);
  return c;
}

/// [B,H,T,S] to the mean over heads, [B,T,S].
inline Array mean_over_heads(const Array& weights) {
  Array mean(Shape{weights.shape[0], weights.shape[2], weights.shape[3]});
  const std::int64_t scores = weights.shape[2] * weights.shape[3], heads = weights.shape[1];
  for (std::int64_t i = 0; i < weights.size(); ++i)
    mean.data[std::size_t(i / (heads * scores) * scores + i % scores)] += weights.data[std::size_t(i)] / float(heads);
  return mean;
}

}  // namespace webformer::modules
