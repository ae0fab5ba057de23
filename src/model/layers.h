#pragma once
// The pieces that every stack is made of. Matrices are packed: [N, C], N tokens of all sequences of the batch.
//
// A forward whose Pass has a tape keeps there what its backward needs. A backward pops it, adds to the gradients of the weights, and adds
// to dx, the gradient of what the forward read, unless said otherwise.

#include <memory>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "kernels/kernels.h"
#include "model/config.h"
#include "model/kv_cache.h"
#include "model/low_rank.h"
#include "model/memory.h"
#include "model/pass.h"
#include "model/weight_plan.h"

namespace webformer {

/// y = x W^T + b. W: [out, in].
struct Linear {
  std::shared_ptr<PackedWeights> weight;
  std::shared_ptr<std::vector<float>> bias;        ///< null: none
  std::shared_ptr<const LowRank> adapter = {};  ///< null: none; its product is added

  static Linear declare(const WeightScope& w, int in, int out, bool bias, Precision precision = Precision::fine);
  /// With a tape, x has to stay as it is until backward. Stops between the parts of the product when the time of a step is over.
  Task<> forward(ConstMatrix x, Matrix y, Pass& pass) const;
  /// dx may be empty, where nobody asks for it.
  void backward(ConstMatrix dy, Matrix dx, Backward& back) const;
};

struct Norm {
  std::shared_ptr<std::vector<float>> weight;  ///< null: none
  std::shared_ptr<std::vector<float>> bias;    ///< null: none
  NormConfig config;

  static Norm declare(const WeightScope& w, int width, const NormConfig& config);
  /// y may be x.
  void forward(ConstMatrix x, Matrix y, Pass& pass) const;
  /// Writes dx, which may be dy.
  void backward(ConstMatrix dy, Matrix dx, Backward& back) const;
};

/// Rows of a table, looked up by number. table: [V, C].
struct Embedding {
  std::shared_ptr<PackedWeights> table;

  static Embedding declare(const WeightScope& w, std::int64_t rows, int width, TableUse use);
};

/// The way around a sublayer f: x = after(x + inside(f(before(x)))), each norm where the model has it.
struct Residual {
  std::optional<Norm> before;
  std::optional<Norm> inside;
  std::optional<Norm> after;

  static Residual declare(const WeightScope& layer, std::string_view name, const StackConfig& c, bool has_norm = true);
  /// What f reads: x itself, or its normalized copy in `scratch` (with a tape, always a copy that lasts). [N,C]
  ConstMatrix enter(ConstMatrix x, Matrix scratch, Pass& pass) const;
  /// dx += the gradient of x from dh, that of what f reads. dh is changed.
  void enter_backward(Matrix dh, Matrix dx, Backward& back) const;
  /// Adds what f made to x. `made` is changed where it is normalized.
  void leave(Matrix x, Matrix made, Pass& pass) const;
  /// dx: from the gradient of the sum to that of x, in place. Writes dmade, that of what f made.
  void leave_backward(Matrix dx, Matrix dmade, Backward& back) const;
};

/// What all layers of one pass over a stack share.
struct StackPass {
  const StackConfig& config;
  const Rows& rows;
  std::string_view name;                 ///< "encoder" or "decoder"
  KvCache* kv_cache = nullptr;           ///< null: keys and values are those of the pass itself
  std::span<const int> sequences = {};   ///< of the cache, one for each of `rows`
  const Memory* memory = nullptr;        ///< for cross-attention
  std::span<const int> sources = {};     ///< of the memory, one for each of `rows`
  const float* alibi_slopes = nullptr;   ///< [H]
  const float* relative_bias = nullptr;  ///< [H, relative_count], see AttentionArgs
  std::int64_t relative_origin = 0;
  std::int64_t relative_count = 0;
  const std::uint8_t* mask = nullptr;         ///< [N, S], 1 = visible, where all sequences have S keys; null: all that config lets through
  const std::uint8_t* memory_mask = nullptr;  ///< the same for the rows of the memory
};

/// Gradients of what all layers of one pass over a stack share, added up.
struct StackGradients {
  float* relative_bias = nullptr;  ///< as StackPass::relative_bias
  Memory* memory = nullptr;        ///< as StackPass::memory
};

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2) with grouped key-value heads (Ainslie et al. 2023).
struct Attention {
  Linear query, key, value, output;
  std::optional<Norm> query_norm, key_norm;  ///< over each head

  /// memory_width: C of what keys and values are made from.
  static Attention declare(const WeightScope& w, const StackConfig& c, int memory_width);
  /// The sequences look at themselves. h, out: [N, C].
  Task<> self(ConstMatrix h, Matrix out, int layer, const StackPass& stack, Pass& pass) const;
  void self_backward(ConstMatrix dout, Matrix dh, int layer, const StackPass& stack, const StackGradients& shared, Backward& back) const;
  /// The sequences look at their sources in stack.memory. h, out: [N, C].
  Task<> cross(ConstMatrix h, Matrix out, int layer, const StackPass& stack, Pass& pass) const;
  void cross_backward(ConstMatrix dout, Matrix dh, int layer, const StackPass& stack, const StackGradients& shared, Backward& back) const;
  /// Keys and values of the encoder's output, for cross(). encoded: [N, C]; keys, values: [N, K*D].
  Task<> remember(ConstMatrix encoded, Matrix keys, Matrix values, Pass& pass) const;
  void remember_backward(ConstMatrix dkeys, ConstMatrix dvalues, Matrix dencoded, Backward& back) const;
};

/// down(activation(up(x))), or down(activation(gate(x)) * up(x)).
struct FeedForward {
  std::optional<Linear> gate;
  Linear up, down;
  Activation activation = Activation::relu;

  static FeedForward declare(const WeightScope& w, const StackConfig& c, Precision precision = Precision::fine);
  Task<> forward(ConstMatrix h, Matrix out, std::string place, Pass& pass) const;
  void backward(ConstMatrix dout, Matrix dh, Backward& back) const;
};

/// One layer of an encoder or a decoder.
struct Layer {
  Residual attention_residual;
  Attention self_attention;
  std::optional<Residual> cross_residual;
  std::optional<Attention> cross_attention;
  Residual ffn_residual;
  FeedForward ffn;
  bool parallel = false;  ///< attention and FFN read the same x
  bool ffn_reads_own_norm = true;

  static Layer declare(const WeightScope& w, const StackConfig& c, int index, int memory_width);
  /// x: [N, C], changed in place.
  Task<> forward(Matrix x, int index, const StackPass& stack, Pass& pass) const;
  /// dx: from the gradient of the output to that of the input, in place.
  Task<> backward(Matrix dx, int index, const StackPass& stack, const StackGradients& shared, Backward& back) const;
};

}  // namespace webformer
