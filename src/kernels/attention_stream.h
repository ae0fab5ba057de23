#pragma once
// Attention of a few queries, as in decoding: every key and value is read once, where it lies.

#include "kernels/attention_rows.h"
#include "kernels/softmax_row.h"

namespace webformer {

/// The products of one query with keys; the keys' numbers begin at column `column` of their rows.
template <class F>
inline void dot_keys(const float* query, const float* const* keys, std::int64_t column, std::int64_t count, std::int64_t size,
                     float* products) noexcept {
  constexpr int at_once = 4;
  std::int64_t s = 0;
  const auto dot = [&](auto several) {
    std::array<F, several> sums;
    sums.fill(F(0.f));
    std::int64_t i = 0;
    for (; i + lanes<F> <= size; i += lanes<F>) {
      const F q = F::load_unaligned(query + i);
      unroll<several>([&](auto j) { sums[j] = multiply_add(q, F::load_unaligned(keys[s + j] + column + i), sums[j]); });
    }
    if (i < size) {
      const F q = load_part<F>(query + i, size - i);
      unroll<several>([&](auto j) { sums[j] = multiply_add(q, load_part<F>(keys[s + j] + column + i, size - i), sums[j]); });
    }
    unroll<several>([&](auto j) { products[s + j] = xsimd::reduce_add(sums[j]); });
    s += several;
  };
  while (s + at_once <= count) dot(std::integral_constant<int, at_once>{});
  while (s < count) dot(std::integral_constant<int, 1>{});
}

/// output_i = output_i * factor + sum_s weights_s * values_s,i
template <class F>
inline void add_values(const float* weights, const float* const* values, std::int64_t column, std::int64_t count, std::int64_t size,
                       float factor, float* output) noexcept {
  constexpr int at_once = 8;
  std::int64_t i = 0;
  const auto add = [&](auto several) {
    std::array<F, several> sums;
    unroll<several>([&](auto j) { sums[j] = F(factor) * F::load_unaligned(output + i + j * lanes<F>); });
    for (std::int64_t s = 0; s < count; ++s) {
      const F weight = splat<F>(weights + s);
      const float* value = values[s] + column + i;
      unroll<several>([&](auto j) { sums[j] = multiply_add(weight, F::load_unaligned(value + j * lanes<F>), sums[j]); });
    }
    unroll<several>([&](auto j) { sums[j].store_unaligned(output + i + j * lanes<F>); });
    i += several * lanes<F>;
  };
  while (i + at_once * lanes<F> <= size) add(std::integral_constant<int, at_once>{});
  while (i + lanes<F> <= size) add(std::integral_constant<int, 1>{});
  for (; i < size; ++i) {
    float sum = factor * output[i];
    for (std::int64_t s = 0; s < count; ++s) sum += weights[s] * values[s][column + i];
    output[i] = sum;
  }
}

/// Without weights and dropout. Attention with the softmax of Milakov & Gimelshein 2018: the largest score and the sum are corrected as
/// keys come.
template <class F>
void attention_stream(const AttentionArgs& args, Workspace& workspace) {
  constexpr std::int64_t tile = 64;
  const std::int64_t queries = args.query.rows, size = args.head_size, keys = args.memory.length, rows = queries * args.heads;
  Scope scope(workspace);
  const float** key_rows = workspace.allocate<const float*>(tile);
  const float** value_rows = workspace.allocate<const float*>(tile);
  const float** seen_rows = workspace.allocate<const float*>(tile);
  float* scores = workspace.allocate<float>(tile);
  float* largest = workspace.allocate<float>(rows);
  float* sums = workspace.allocate<float>(rows);
  std::fill_n(largest, rows, -std::numeric_limits<float>::infinity());
  std::fill_n(sums, rows, 0.f);
  for (std::int64_t t = 0; t < queries; ++t) std::fill_n(args.output.row(t), args.heads * size, 0.f);

  for (std::int64_t first = 0; first < keys; first += tile) {
    const std::int64_t count = std::min(tile, keys - first);
    find_rows(args.memory, args.memory.keys, first, count, key_rows);
    find_rows(args.memory, args.memory.values, first, count, value_rows);
    for (std::int64_t t = 0; t < queries; ++t) {
      const KeyRange seen = in_tile(visible_keys(args, t), first, count);
      if (seen.empty()) continue;
      const std::int64_t visible = seen.end - seen.begin;
      for (int h = 0; h < args.heads; ++h) {
        const std::int64_t column = h / (args.heads / args.kv_heads) * size;
        dot_keys<F>(args.query.row(t) + h * size, key_rows + seen.begin, column, visible, size, scores);
        finish_scores<F>(args, h, t, first + seen.begin, visible, scores);
        float& top = largest[t * args.heads + h];
        float& sum = sums[t * args.heads + h];
        const float before = top;
        top = std::max(top, max_row<F>(visible, scores));
        const float shift = softmax_shift(top), factor = std::exp(before - shift);
        sum = sum * factor + exponentials_row<F>(visible, scores, shift);
        const float** values = value_rows + seen.begin;
        std::int64_t weighed = visible;
        if (args.mask) {  // what is hidden takes no part, whatever its values are
          const std::uint8_t* mask = args.mask + t * keys + first + seen.begin;
          weighed = 0;
          for (std::int64_t i = 0; i < visible; ++i) {
            seen_rows[weighed] = values[i];
            scores[weighed] = scores[i];
            weighed += mask[i] != 0;
          }
          values = seen_rows;
        }
        add_values<F>(scores, values, column, weighed, size, factor, args.output.row(t) + h * size);
      }
    }
  }
  for (std::int64_t t = 0; t < queries; ++t) {
    for (int h = 0; h < args.heads; ++h) {
      float* output = args.output.row(t) + h * size;
      map_row<F>(size, output, [factor = F(softmax_factor(sums[t * args.heads + h]))](F v) { return v * factor; }, output);
      if (args.largest) {
        args.largest[h * queries + t] = largest[t * args.heads + h];
        args.sums[h * queries + t] = sums[t * args.heads + h];
      }
    }
  }
}

}  // namespace webformer
