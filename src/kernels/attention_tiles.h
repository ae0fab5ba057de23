#pragma once
// Attention of many queries, by tiles of queries and keys on the kernels of matrix multiplication.
//
// Without weights: FlashAttention (Dao et al. 2022), memory O(T + S) a head. With weights: all scores, softmax, then the values.
// The query heads that read one key-value head are rows of one matrix: row r is query r / G of head r % G of the G in its group.

#include <cmath>

#include "kernels/attention_rows.h"
#include "kernels/f32_panels.h"
#include "kernels/row_tiles.h"
#include "kernels/softmax_row.h"

namespace webformer {

template <class F>
class TiledAttention {
 public:
  TiledAttention(const AttentionArgs& args, Workspace& workspace)
      : args_(args),
        group_(args.heads / args.kv_heads),
        rows_(args.query.rows * group_),
        size_(args.head_size),
        width_(round_up(args.head_size, panel_width<F>)),
        tiles_(rows_, tile_rows),
        queries_(workspace.allocate<float>(rows_ * size_)),
        outputs_(workspace.allocate<float>(rows_ * width_)),
        largest_(workspace.allocate<float>(rows_)),
        sums_(workspace.allocate<float>(rows_)),
        keys_(workspace.allocate<float>(tile_keys * size_)),
        values_(workspace.allocate<float>(tile_keys * width_)),
        rows_of_(workspace.allocate<const float*>(tile_keys)) {}

  /// Works from `at` on. Returns true once all is done.
  bool run(AttentionPlace& at, std::int64_t operations) noexcept {
    const std::int64_t of_tile = attention_operations(tile_rows, args_.memory.length, size_);
    std::int64_t left = std::max(operations, of_tile);
    while (at.kv_head < args_.kv_heads && left >= of_tile) {
      kv_head_ = at.kv_head;
      first_tile_ = at.tile;
      end_tile_ = of_tile ? std::min(tiles_.count, first_tile_ + left / of_tile) : tiles_.count;
      left -= (end_tile_ - first_tile_) * of_tile;
      work();
      at = end_tile_ < tiles_.count ? AttentionPlace{kv_head_, end_tile_} : AttentionPlace{kv_head_ + 1, 0};
    }
    return at.kv_head == args_.kv_heads;
  }

 private:
  static constexpr std::int64_t tile_keys = 64;
  static constexpr int tile_rows = F32Panels<F>::tile_rows;
  static constexpr std::int64_t panel = panel_width<F>;
  static_assert(tile_keys % panel == 0);

  std::int64_t query_of(std::int64_t r) const noexcept { return r / group_; }
  int head_of(std::int64_t r) const noexcept { return kv_head_ * int(group_) + int(r % group_); }
  float* weights_of(std::int64_t r) const noexcept {
    return args_.weights + (head_of(r) * args_.query.rows + query_of(r)) * args_.memory.length;
  }

  /// From first_tile_ to end_tile_.
  void work() noexcept {
    start();
    if (args_.weights) {
      each_tile(&TiledAttention::score);
      for (std::int64_t r = first_row(); r < end_row(); ++r) normalize(r);
      each_tile(&TiledAttention::weigh);
    } else {
      each_tile(&TiledAttention::attend);
    }
    finish();
  }

  std::int64_t first_row() const noexcept { return tiles_.first_row(first_tile_); }
  std::int64_t end_row() const noexcept { return tiles_.first_row(end_tile_); }

  void start() noexcept {
    const std::int64_t first_row = this->first_row(), count = end_row() - first_row;
    std::fill_n(outputs_ + first_row * width_, count * width_, 0.f);
    std::fill_n(largest_ + first_row, count, -std::numeric_limits<float>::infinity());
    std::fill_n(sums_ + first_row, count, 0.f);
    for (std::int64_t tile = first_tile_; tile < end_tile_; ++tile) {
      const std::int64_t first = tiles_.first_row(tile), count = tiles_.rows(tile);
      for (std::int64_t row = 0; row < count; ++row) {
        const float* query = args_.query.row(query_of(first + row)) + head_of(first + row) * size_;
        float* packed = queries_ + first * size_ + row;
        for (std::int64_t i = 0; i < size_; ++i) packed[i * count] = query[i];
      }
    }
  }

  /// Packs one tile of keys and values after the other and gives it to every tile of rows that sees some of it.
  void each_tile(void (TiledAttention::*work)(std::int64_t tile)) noexcept {
    for (first_key_ = 0; first_key_ < args_.memory.length; first_key_ += tile_keys) {
      key_count_ = std::min(tile_keys, args_.memory.length - first_key_);
      pack_keys();
      pack_values();
      for (std::int64_t tile = first_tile_; tile < end_tile_; ++tile) (this->*work)(tile);
    }
  }

  /// keys_: [tile_keys / panel][D][panel]
  void pack_keys() noexcept {
    find_rows(args_.memory, args_.memory.keys, first_key_, key_count_, rows_of_);
    pack_transposed<F>(rows_of_, kv_head_ * size_, key_count_, size_, keys_);
  }

  /// values_: [D / panel][tile_keys][panel]
  void pack_values() noexcept {
    find_rows(args_.memory, args_.memory.values, first_key_, key_count_, rows_of_);
    F zeros(0.f);  // x - x is 0 for finite numbers and NaN for others
    for (std::int64_t i = 0; i < width_; i += lanes<F>) {
      float* to = values_ + i / panel * tile_keys * panel + i % panel;
      const std::int64_t left = std::clamp<std::int64_t>(size_ - i, 0, lanes<F>);
      for (std::int64_t s = 0; s < key_count_; ++s) {
        const float* from = rows_of_[s] + kv_head_ * size_ + i;
        const F value = left == lanes<F> ? F::load_unaligned(from) : load_part<F>(from, left);
        zeros += value - value;
        value.store_unaligned(to + s * panel);
      }
    }
    values_finite_ = xsimd::reduce_add(zeros) == 0;
  }

  KeyRange seen_by(std::int64_t tile) const noexcept {
    const std::int64_t first = tiles_.first_row(tile), last = first + tiles_.rows(tile) - 1;
    return in_tile({visible_keys(args_, query_of(first)).begin, visible_keys(args_, query_of(last)).end}, first_key_, key_count_);
  }

  /// Scores of a tile of rows with the keys `seen` of the tile: [rows][tile_keys].
  void scores_of(std::int64_t tile, KeyRange seen, float* scores) const noexcept {
    const std::int64_t first = tiles_.first_row(tile);
    with_rows<tile_rows>(tiles_.rows(tile), [&](auto rows) {
      for (std::int64_t s = seen.begin / panel * panel; s < seen.end; s += panel) {
        Sums<F, rows, 2> sums;
        unroll<rows>([&](auto r) { sums[r].fill(F(0.f)); });
        multiply_floats<F, rows, 2, rows, 1>(queries_ + first * size_, keys_ + s * size_, 0, size_, sums);
        unroll<rows>([&](auto r) {
          sums[r][0].store_unaligned(scores + r * tile_keys + s);
          sums[r][1].store_unaligned(scores + r * tile_keys + s + lanes<F>);
        });
      }
    });
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r) {
      float* row = scores + r * tile_keys + seen.begin;
      finish_scores<F>(args_, head_of(first + r), query_of(first + r), first_key_ + seen.begin, seen.end - seen.begin, row);
    }
  }

  /// outputs = outputs * factor + weights * values, for a tile of rows.
  void add_values(std::int64_t tile, KeyRange seen, const float* weights, const float* factors) noexcept {
    const std::int64_t first = tiles_.first_row(tile);
    if (!values_finite_) return add_visible_values(tile, weights, factors);
    with_rows<tile_rows>(tiles_.rows(tile), [&](auto rows) {
      for (std::int64_t i = 0; i < width_; i += panel) {
        Sums<F, rows, 2> sums;
        float* output = outputs_ + first * width_ + i;
        unroll<rows>([&](auto r) {
          sums[r][0] = F(factors[r]) * F::load_unaligned(output + r * width_);
          sums[r][1] = F(factors[r]) * F::load_unaligned(output + r * width_ + lanes<F>);
        });
        multiply_floats<F, rows, 2, 1, tile_keys>(weights + seen.begin, values_ + i * tile_keys + seen.begin * panel, 0,
                                                  seen.end - seen.begin, sums);
        unroll<rows>([&](auto r) {
          sums[r][0].store_unaligned(output + r * width_);
          sums[r][1].store_unaligned(output + r * width_ + lanes<F>);
        });
      }
    });
  }

  /// The same where a value is NaN or infinite: a weight of 0 does not hide it, but who may not look is not touched by it.
  void add_visible_values(std::int64_t tile, const float* weights, const float* factors) noexcept {
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r) {
      const std::int64_t row = tiles_.first_row(tile) + r, t = query_of(row);
      const KeyRange seen = in_tile(visible_keys(args_, t), first_key_, key_count_);
      float* output = outputs_ + row * width_;
      for (std::int64_t i = 0; i < size_; ++i) output[i] *= factors[r];
      for (std::int64_t s = seen.begin; s < seen.end; ++s) {
        if (args_.mask && !args_.mask[t * args_.memory.length + first_key_ + s]) continue;
        for (std::int64_t i = 0; i < size_; ++i) output[i] += weights[r * tile_keys + s] * rows_of_[s][kv_head_ * size_ + i];
      }
    }
  }

  void attend(std::int64_t tile) noexcept {
    const KeyRange seen = seen_by(tile);
    if (seen.empty()) return;
    alignas(64) float scores[tile_rows * tile_keys];
    float factors[tile_rows];
    scores_of(tile, seen, scores);
    const std::int64_t count = seen.end - seen.begin;
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r) {
      float* row = scores + r * tile_keys + seen.begin;
      float& top = largest_[tiles_.first_row(tile) + r];
      float& sum = sums_[tiles_.first_row(tile) + r];
      const float before = top;
      top = std::max(top, max_row<F>(count, row));
      const float shift = softmax_shift(top);
      factors[r] = std::exp(before - shift);
      sum = sum * factors[r] + exponentials_row<F>(count, row, shift);
    }
    drop(tile, seen, scores);
    add_values(tile, seen, scores, factors);
  }

  void drop(std::int64_t tile, KeyRange seen, float* weights) noexcept {
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r) {
      const std::int64_t row = tiles_.first_row(tile) + r;
      drop_weights<F>(args_, head_of(row), query_of(row), first_key_ + seen.begin, seen.end - seen.begin,
                      weights + r * tile_keys + seen.begin);
    }
  }

  void score(std::int64_t tile) noexcept {
    const KeyRange seen = seen_by(tile);
    alignas(64) float scores[tile_rows * tile_keys];
    if (!seen.empty()) scores_of(tile, seen, scores);
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r) {
      float* to = weights_of(tiles_.first_row(tile) + r) + first_key_;
      std::fill_n(to, key_count_, -std::numeric_limits<float>::infinity());
      if (!seen.empty()) std::copy(scores + r * tile_keys + seen.begin, scores + r * tile_keys + seen.end, to + seen.begin);
    }
  }

  /// Softmax of all scores of a row.
  void normalize(std::int64_t r) noexcept {
    float* row = weights_of(r);
    const std::int64_t count = args_.memory.length;
    if (args_.scores) std::copy_n(row, count, args_.scores + (row - args_.weights));
    largest_[r] = max_row<F>(count, row);
    sums_[r] = exponentials_row<F>(count, row, softmax_shift(largest_[r]));
    map_row<F>(count, row, [factor = F(softmax_factor(sums_[r]))](F v) { return v * factor; }, row);
  }

  void weigh(std::int64_t tile) noexcept {
    const KeyRange seen = seen_by(tile);
    if (seen.empty()) return;
    alignas(64) float weights[tile_rows * tile_keys];
    float factors[tile_rows];
    std::fill_n(factors, tile_rows, 1.f);
    for (std::int64_t r = 0; r < tiles_.rows(tile); ++r)
      std::copy_n(weights_of(tiles_.first_row(tile) + r) + first_key_, key_count_, weights + r * tile_keys);
    drop(tile, {0, key_count_}, weights);
    add_values(tile, seen, weights, factors);
  }

  void finish() noexcept {
    for (std::int64_t r = first_row(); r < end_row(); ++r) {
      const F factor(args_.weights ? 1.f : softmax_factor(sums_[r]));
      const float* from = outputs_ + r * width_;
      map_row<F>(size_, args_.output.row(query_of(r)) + head_of(r) * size_, [=](F v) { return v * factor; }, from);
      if (args_.largest) {
        args_.largest[head_of(r) * args_.query.rows + query_of(r)] = largest_[r];
        args_.sums[head_of(r) * args_.query.rows + query_of(r)] = sums_[r];
      }
    }
  }

  const AttentionArgs& args_;
  std::int64_t group_, rows_, size_, width_;
  Tiles tiles_;
  float *queries_, *outputs_, *largest_, *sums_, *keys_, *values_;
  const float** rows_of_;
  int kv_head_ = 0;
  std::int64_t first_tile_ = 0, end_tile_ = 0;  // the rows of this part
  std::int64_t first_key_ = 0, key_count_ = 0;
  bool values_finite_ = true;  // of the tile of keys
};

}  // namespace webformer
