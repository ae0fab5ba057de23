#pragma once
// What the ways to compute attention share: which keys a query may see, the change of its scores, the rows of paged memory.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/attention.h"
#include "kernels/dropout.h"
#include "kernels/panels.h"
#include "kernels/simd_math.h"

namespace webformer {

/// Keys [begin, end).
struct KeyRange {
  std::int64_t begin, end;
  bool empty() const noexcept { return begin >= end; }
};

/// What causality and window let query t see; `mask` may take more away. Both ends grow with t.
inline KeyRange visible_keys(const AttentionArgs& args, std::int64_t t) noexcept {
  const std::int64_t position = args.offset + t, length = args.memory.length;
  KeyRange range{0, length};
  if (args.window > 0) range = {position - args.window + 1, position + args.window};
  if (args.causal) range.end = std::min(range.end, position + 1);
  return {std::clamp<std::int64_t>(range.begin, 0, length), std::clamp<std::int64_t>(range.end, 0, length)};
}

/// The part of `range` in a tile of `count` keys from `first` on, counted from `first`.
inline KeyRange in_tile(KeyRange range, std::int64_t first, std::int64_t count) noexcept {
  return {std::clamp<std::int64_t>(range.begin - first, 0, count), std::clamp<std::int64_t>(range.end - first, 0, count)};
}

/// The rows of keys or values [first, first + count), as pointers to their first number.
inline void find_rows(const KeyValues& memory, const float* const* blocks, std::int64_t first, std::int64_t count,
                      const float** rows) noexcept {
  std::int64_t block = first / memory.block, row = first % memory.block;
  for (std::int64_t i = 0; i < count; ++i) {
    rows[i] = blocks[block] + row * memory.stride;
    if (++row == memory.block) ++block, row = 0;
  }
}

/// Packs numbers [column, column + size) of `count` rows as out[row / panel_width][size][panel_width], by transposing squares of `lanes`
/// rows and `lanes` numbers.
template <class F>
inline void pack_transposed(const float* const* rows, std::int64_t column, std::int64_t count, std::int64_t size, float* out) noexcept {
  constexpr std::int64_t panel = panel_width<F>;
  for (std::int64_t s = 0; s < count; s += lanes<F>) {
    float* to = out + s / panel * size * panel + s % panel;
    const std::int64_t filled = std::min(lanes<F>, count - s);
    for (std::int64_t i = 0; i < size; i += lanes<F>) {
      const std::int64_t left = std::min(lanes<F>, size - i);
      std::array<F, F::size> square;
      for (std::int64_t j = 0; j < lanes<F>; ++j) {
        const float* from = j < filled ? rows[s + j] + column + i : nullptr;
        square[std::size_t(j)] = !from ? F(0.f) : left == lanes<F> ? F::load_unaligned(from) : load_part<F>(from, left);
      }
      xsimd::transpose(square.data(), square.data() + F::size);
      for (std::int64_t j = 0; j < left; ++j) square[std::size_t(j)].store_unaligned(to + (i + j) * panel);
    }
  }
}

/// Drops weights of query t for keys [first, first + count) as args.dropout says, in place.
template <class F>
inline void drop_weights(const AttentionArgs& args, int head, std::int64_t t, std::int64_t first, std::int64_t count,
                         float* weights) noexcept {
  if (args.dropout <= 0) return;
  Dropout(args.dropout, args.dropout_seed).apply<F>(count, weights, (head * args.query.rows + t) * args.memory.length + first);
}

/// From products of a query with keys [first, first + count) to scores, in place; -inf where query t may not look.
/// The scale comes after the product: scaled queries would round, and tell apart large scores that are equal.
template <class F>
inline void finish_scores(const AttentionArgs& args, int head, std::int64_t t, std::int64_t first, std::int64_t count,
                          float* scores) noexcept {
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  const KeyRange seen = in_tile(visible_keys(args, t), first, count);
  std::fill(scores, scores + std::min(seen.begin, count), hidden);
  std::fill(scores + std::max(seen.begin, seen.end), scores + count, hidden);
  if (seen.empty()) return;

  const std::int64_t visible = seen.end - seen.begin, queries = args.query.rows, keys = args.memory.length;
  const std::int64_t key = first + seen.begin, distance = key - (args.offset + t);
  float* x = scores + seen.begin;
  if (args.softcap > 0) {
    map_row<F>(visible, x, [cap = F(args.softcap), scale = F(args.scale / args.softcap)](F v) { return cap * simd_tanh(v * scale); }, x);
  } else {
    map_row<F>(visible, x, [scale = F(args.scale)](F v) { return v * scale; }, x);
  }
  const auto plus = [](F a, F b) { return a + b; };
  if (args.alibi_slopes) {
    for (std::int64_t i = 0; i < visible; ++i) x[i] += args.alibi_slopes[head] * float(distance + i);
  }
  if (args.relative_bias) {
    map_row<F>(visible, x, plus, x, args.relative_bias + head * args.relative_count + args.relative_origin + distance);
  }
  if (args.bias) {
    map_row<F>(visible, x, plus, x, args.bias + ((args.bias_heads == 1 ? 0 : head) * queries + t) * keys + key);
  }
  if (args.mask) {
    const std::uint8_t* mask = args.mask + t * keys + key;
    for (std::int64_t i = 0; i < visible; ++i) x[i] = mask[i] ? x[i] : hidden;
  }
}

}  // namespace webformer
