#pragma once
// Scaled dot-product attention ("Attention Is All You Need", Vaswani et al. 2017, eq. 1) over one sequence.

#include <cstdint>

#include "core/tensor.h"
#include "core/workspace.h"
#include "kernels/parts.h"

namespace webformer {

/// S keys and values, in blocks of `block` rows (the last one may be part full): block i holds rows i * block, i * block + 1, …
/// Row s of head k starts at blocks[s / block] + (s % block) * stride + k * D. One plain matrix is one block of S rows.
struct KeyValues {
  const float* const* keys = nullptr;
  const float* const* values = nullptr;
  std::int64_t length = 0;  ///< S
  std::int64_t block = 0;
  std::int64_t stride = 0;  ///< floats from one row to the next, at least K * D
};

/// What a query may see and how scores are changed: the same for the naive, the SIMD and the WebGPU kernel.
/// score(t,s) = softcap(scale * q_t . k_s) + biases; weights = softmax over the visible s. A query that sees nothing gets zeros.
struct AttentionArgs {
  ConstMatrix query;  ///< [T, H*D]
  KeyValues memory;
  Matrix output;             ///< [T, H*D]; may not overlap the query
  float* weights = nullptr;  ///< [H, T, S], or null where nobody asks for them
  float* scores = nullptr;   ///< [H, T, S], what the softmax reads, -inf where a query may not look; null, or beside weights

  int heads = 1;      ///< H
  int kv_heads = 1;   ///< K; query head h reads key-value head h / (H / K)
  int head_size = 1;  ///< D
  float scale = 1;    ///< 1/sqrt(D) as a rule
  float softcap = 0;  ///< 0: none; else score = softcap * tanh(score / softcap) (Gemma 2)

  std::int64_t offset = 0;  ///< the place among the keys of query 0: query t stands at offset + t
  bool causal = false;      ///< sees s <= offset + t
  std::int64_t window = 0;  ///< 0: none; else sees only |offset + t - s| < window (with causal: the last `window` keys, its own included)
  const std::uint8_t* mask = nullptr;    ///< [T, S], 1 = visible, or null
  const float* alibi_slopes = nullptr;   ///< [H]: adds slope_h * (s - (offset + t)) (Press et al. 2021), or null
  const float* relative_bias = nullptr;  ///< [H, relative_count]: adds relative_bias[h][s - (offset + t) + relative_origin] (T5), or null
  std::int64_t relative_origin = 0;
  std::int64_t relative_count = 0;
  const float* bias = nullptr;  ///< [bias_heads, T, S] is added, or null
  int bias_heads = 1;           ///< 1 or H

  float dropout = 0;               ///< this share of the weights takes no part in the output, see dropout(); `weights` does not show it
  std::uint64_t dropout_seed = 0;  ///< weight (h, t, s) stands at place (h T + t) S + s
  float* largest = nullptr;        ///< [H, T]: the largest score of each query, kept for attention_backward, or null
  float* sums = nullptr;           ///< [H, T]: the sum of exp(score - largest), together with it
};

void attention(const AttentionArgs& args, Workspace& workspace);
/// The part of it that begins at `at`, of so many operations at most, or one tile of queries. Returns true after the last.
bool attention_part(const AttentionArgs& args, AttentionPlace& at, Workspace& workspace, std::int64_t operations = part_operations);

/// The gradients of attention's inputs, added to what is there. Slopes of ALiBi are not learned.
struct AttentionGradients {
  ConstMatrix output;              ///< [T, H*D], that of the output: given
  const float* weights = nullptr;  ///< [H, T, S], that of the weights: given, or null
  Matrix query;                    ///< [T, H*D]
  Matrix keys, values;             ///< [S, K*D]
  float* relative_bias = nullptr;  ///< [H, relative_count], or null
  float* bias = nullptr;           ///< [bias_heads, T, S], or null
};

/// `args` as the forward got them, with its output, `largest` and `sums` (and its weights, where gradients.weights is given). Scores are
/// computed anew by tiles, so that memory is O(T + S) a head (Dao et al. 2022, algorithm 4). With p the weights, o the output:
/// dvalue_s = sum_t p_ts do_t; dscore_ts = p_ts (do_t . value_s - do_t . o_t); dquery_t = scale sum_s dscore_ts key_s; dkey likewise.
void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients, Workspace& workspace);

}  // namespace webformer
