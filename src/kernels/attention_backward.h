#pragma once
// Gradients of attention by blocks of queries and tiles of keys (Dao et al. 2022), on the kernels of matrix multiplication. As in the
// forward, row r is query r / G of head r % G of the G query heads that read one key-value head.

#include "kernels/attention_rows.h"
#include "kernels/f32_panels.h"
#include "kernels/row_tiles.h"
#include "kernels/softmax_row.h"

namespace webformer {

template <class F>
class AttentionBackward {
 public:
  AttentionBackward(const AttentionArgs& args, const AttentionGradients& gradients, Workspace& workspace)
      : args_(args),
        gradients_(gradients),
        group_(args.heads / args.kv_heads),
        rows_(args.query.rows * group_),
        size_(args.head_size),
        width_(round_up(args.head_size, panel)),
        dot_(workspace.allocate<float>(rows_)),
        query_gradient_(workspace.matrix(rows_, width_)),
        keys_t_(workspace.allocate<float>(side * size_)),
        values_t_(workspace.allocate<float>(side * size_)),
        keys_(workspace.allocate<float>(side * width_)),
        key_gradient_(workspace.matrix(side, width_)),
        value_gradient_(workspace.matrix(side, width_)),
        rows_of_(workspace.allocate<const float*>(side)),
        queries_t_(workspace.allocate<float>(side * size_)),
        outputs_t_(workspace.allocate<float>(side * size_)),
        queries_(workspace.allocate<float>(side * width_)),
        outputs_(workspace.allocate<float>(side * width_)),
        scores_(workspace.matrix(side, side)),
        weight_gradient_(workspace.matrix(side, side)) {}

  void run() noexcept {
    for (kv_head_ = 0; kv_head_ < args_.kv_heads; ++kv_head_) {
      clear(query_gradient_);
      for (std::int64_t r = 0; r < rows_; ++r) dot_[r] = expected_gradient(r);
      for (first_key_ = 0; first_key_ < args_.memory.length; first_key_ += side) {
        key_count_ = std::min(side, args_.memory.length - first_key_);
        pack_memory();
        clear(key_gradient_);
        clear(value_gradient_);
        for (first_row_ = 0; first_row_ < rows_; first_row_ += side) {
          row_count_ = std::min(side, rows_ - first_row_);
          if (seen().empty()) continue;
          pack_queries();
          go_back();
        }
        for (std::int64_t s = 0; s < key_count_; ++s) {
          add_row(key_gradient_.row(s), gradients_.keys.row(first_key_ + s) + kv_head_ * size_);
          add_row(value_gradient_.row(s), gradients_.values.row(first_key_ + s) + kv_head_ * size_);
        }
      }
      for (std::int64_t r = 0; r < rows_; ++r) add_row(query_gradient_.row(r), gradients_.query.row(query_of(r)) + head_of(r) * size_);
    }
  }

 private:
  static constexpr std::int64_t side = 64;  // of a block of scores
  static constexpr int tile_rows = F32Panels<F>::tile_rows;
  static constexpr std::int64_t panel = panel_width<F>;
  static_assert(side % panel == 0);

  std::int64_t query_of(std::int64_t r) const noexcept { return r / group_; }
  int head_of(std::int64_t r) const noexcept { return kv_head_ * int(group_) + int(r % group_); }
  std::int64_t statistic_of(std::int64_t r) const noexcept { return head_of(r) * args_.query.rows + query_of(r); }

  /// What the block's rows see of the tile, or more.
  KeyRange seen() const noexcept {
    const std::int64_t begin = visible_keys(args_, query_of(first_row_)).begin,
                       end = visible_keys(args_, query_of(first_row_ + row_count_ - 1)).end;
    return in_tile({begin, end}, first_key_, key_count_);
  }

  static void clear(Matrix x) noexcept { std::fill_n(x.data, x.rows * x.cols, 0.f); }

  void add_row(const float* from, float* to) const noexcept {
    map_row<F>(size_, to, [](F sum, F v) { return sum + v; }, to, from);
  }

  /// sum_s weight_s * its gradient, which softmax takes from each: do . o, since o is the weighted sum of the values.
  float expected_gradient(std::int64_t r) const noexcept {
    const std::int64_t t = query_of(r), column = head_of(r) * size_, keys = args_.memory.length;
    const float of_output = dot_row<F>(size_, gradients_.output.row(t) + column, args_.output.row(t) + column);
    if (!gradients_.weights) return of_output;
    return of_output + dot_row<F>(keys, args_.weights + statistic_of(r) * keys, gradients_.weights + statistic_of(r) * keys);
  }

  /// out: [width / panel][side][panel], zeros beyond the head's size.
  void pack_rows(std::int64_t column, std::int64_t count, float* out) const noexcept {
    for (std::int64_t i = 0; i < width_; i += lanes<F>) {
      float* to = out + i / panel * side * panel + i % panel;
      const std::int64_t left = std::clamp<std::int64_t>(size_ - i, 0, lanes<F>);
      for (std::int64_t s = 0; s < count; ++s) {
        const float* from = rows_of_[s] + column + i;
        (left == lanes<F> ? F::load_unaligned(from) : load_part<F>(from, left)).store_unaligned(to + s * panel);
      }
    }
  }

  void pack_memory() noexcept {
    const std::int64_t column = kv_head_ * size_;
    find_rows(args_.memory, args_.memory.values, first_key_, key_count_, rows_of_);
    pack_transposed<F>(rows_of_, column, key_count_, size_, values_t_);
    find_rows(args_.memory, args_.memory.keys, first_key_, key_count_, rows_of_);
    pack_transposed<F>(rows_of_, column, key_count_, size_, keys_t_);
    pack_rows(column, key_count_, keys_);
  }

  void pack_queries() noexcept {
    const auto pack = [&](ConstMatrix from, float* transposed, float* panels) {
      for (std::int64_t r = 0; r < row_count_; ++r) {
        rows_of_[r] = from.row(query_of(first_row_ + r)) + head_of(first_row_ + r) * size_;
        for (std::int64_t i = 0; i < size_; ++i) transposed[i * side + r] = rows_of_[r][i];
      }
      pack_rows(0, row_count_, panels);
    };
    pack(args_.query, queries_t_, queries_);
    pack(gradients_.output, outputs_t_, outputs_);
  }

  /// out += x * panels, where number k of row r of x is x[k * Step + r * RowStep] and a panel is [depth][panel], `apart` floats to the
  /// next.
  template <std::int64_t Step, std::int64_t RowStep>
  static void add_product(const float* x, std::int64_t rows, const float* panels, std::int64_t apart, std::int64_t depth, std::int64_t cols,
                          Matrix out) noexcept {
    const Tiles tiles(rows, tile_rows);
    for (std::int64_t col = 0; col < cols; col += panel, panels += apart) {
      for (std::int64_t tile = 0; tile < tiles.count; ++tile) {
        const std::int64_t first = tiles.first_row(tile);
        with_rows<tile_rows>(tiles.rows(tile), [&](auto several) {
          Sums<F, several, 2> sums;
          float* to = out.row(first) + col;
          unroll<several>([&](auto r) {
            sums[r][0] = F::load_unaligned(to + r * out.stride);
            sums[r][1] = F::load_unaligned(to + r * out.stride + lanes<F>);
          });
          multiply_floats<F, several, 2, Step, RowStep>(x + first * RowStep, panels, 0, depth, sums);
          unroll<several>([&](auto r) {
            sums[r][0].store_unaligned(to + r * out.stride);
            sums[r][1].store_unaligned(to + r * out.stride + lanes<F>);
          });
        });
      }
    }
  }

  /// One block of queries and one tile of keys.
  void go_back() noexcept {
    clear(scores_);
    clear(weight_gradient_);
    add_product<side, 1>(queries_t_, row_count_, keys_t_, size_ * panel, size_, key_count_, scores_);
    add_product<side, 1>(outputs_t_, row_count_, values_t_, size_ * panel, size_, key_count_, weight_gradient_);
    for (std::int64_t r = 0; r < row_count_; ++r) go_back_through_softmax(r, scores_.row(r), weight_gradient_.row(r));
    add_product<side, 1>(scores_.data, key_count_, outputs_, side * panel, row_count_, width_, value_gradient_);
    add_product<side, 1>(weight_gradient_.data, key_count_, queries_, side * panel, row_count_, width_, key_gradient_);
    add_product<1, side>(weight_gradient_.data, row_count_, keys_, side * panel, key_count_, width_,
                         query_gradient_.rows_from(first_row_, row_count_));
  }

  /// In: products of the query and keys, and of the output's gradient and values. Out: the weights as values were multiplied by them, and
  /// the gradient of the products of query and keys.
  void go_back_through_softmax(std::int64_t row, float* scores, float* gradient) noexcept {
    const std::int64_t r = first_row_ + row, t = query_of(r), count = key_count_, keys = args_.memory.length;
    const int head = head_of(r);
    alignas(64) float products[side];
    std::copy_n(scores, count, products);
    finish_scores<F>(args_, head, t, first_key_, count, scores);
    const F shift(softmax_shift(args_.largest[statistic_of(r)])), factor(softmax_factor(args_.sums[statistic_of(r)]));
    map_row<F>(count, scores, [=](F v) { return simd_exp(v - shift) * factor; }, scores);

    drop_weights<F>(args_, head, t, first_key_, count, gradient);
    if (gradients_.weights) {
      map_row<F>(count, gradient, [](F a, F b) { return a + b; }, gradient, gradients_.weights + statistic_of(r) * keys + first_key_);
    }
    map_row<F>(count, gradient, [expected = F(dot_[r])](F d, F p) { return p * (d - expected); }, gradient, scores);
    drop_weights<F>(args_, head, t, first_key_, count, scores);
    add_bias_gradients(head, t, gradient);
    const F scale(args_.scale);
    if (args_.softcap > 0) {
      const auto slope = [one = F(1.f), s = F(args_.scale / args_.softcap)](F v) { return one - simd_tanh(v * s) * simd_tanh(v * s); };
      map_row<F>(count, gradient, [=](F d, F v) { return d * scale * slope(v); }, gradient, products);
    } else {
      map_row<F>(count, gradient, [=](F d) { return d * scale; }, gradient);
    }
  }

  void add_bias_gradients(int head, std::int64_t t, const float* gradient) noexcept {
    const auto plus = [](F a, F b) { return a + b; };
    if (gradients_.bias) {
      float* to = gradients_.bias + ((args_.bias_heads == 1 ? 0 : head) * args_.query.rows + t) * args_.memory.length + first_key_;
      map_row<F>(key_count_, to, plus, to, gradient);
    }
    if (gradients_.relative_bias) {
      const KeyRange visible = in_tile(visible_keys(args_, t), first_key_, key_count_);
      const std::int64_t distance = first_key_ + visible.begin - (args_.offset + t);
      float* to = gradients_.relative_bias + head * args_.relative_count + args_.relative_origin + distance;
      if (!visible.empty()) map_row<F>(visible.end - visible.begin, to, plus, to, gradient + visible.begin);
    }
  }

  const AttentionArgs& args_;
  const AttentionGradients& gradients_;
  std::int64_t group_, rows_, size_, width_;
  float* dot_;  // [rows]
  Matrix query_gradient_;
  // A tile of keys and values, as columns and as rows of panels.
  float *keys_t_, *values_t_, *keys_;
  Matrix key_gradient_, value_gradient_;
  const float** rows_of_;
  // A block of queries and of gradients of outputs, the same.
  float *queries_t_, *outputs_t_, *queries_, *outputs_;
  Matrix scores_, weight_gradient_;
  int kv_head_ = 0;
  std::int64_t first_key_ = 0, key_count_ = 0, first_row_ = 0, row_count_ = 0;
};

}  // namespace webformer
