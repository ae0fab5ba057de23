#pragma once
// Weights as 4-bit integers with a scale and a minimum for each group of 32 along a row (as GGUF's Q4_1), inputs as signed bytes with a
// scale for each group.
//
// A panel: for each group the bytes, each with the weights of one input in its low half and of the input four further in its high half,
// then the scales and the minima of the outputs as halves:
//   y_n = sum over groups of x_scale * (scale_n * sum_k q_nk * x_k + minimum_n * sum_k x_k)

#include <cmath>

#include "core/half.h"
#include "kernels/quantized_input.h"
#include "kernels/simd_half.h"

namespace webformer {

template <class Dot>
struct Int4Panels {
  using Batch = typename Dot::Batch;
  using F = Batch;
  static constexpr std::int64_t group = 32;
  static constexpr int tile_rows = Dot::tile_rows;
  static constexpr std::int64_t depth_block = 1024;
  using Input = QuantizedInput<Dot, group, group>;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept { return Input::groups(cols) * group_bytes; }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    for (std::int64_t first = 0; first < cols; first += group, panel += group_bytes) {
      const std::int64_t count = std::min(group, cols - first);
      float lowest = row[first], highest = row[first];
      for (std::int64_t k = 0; k < count; ++k) {
        lowest = std::min(lowest, row[first + k]);
        highest = std::max(highest, row[first + k]);
      }
      const std::uint16_t scale = float_to_half((highest - lowest) / 15), minimum = float_to_half(lowest);
      halves(panel)[lane] = scale;
      halves(panel)[width + lane] = minimum;
      const float step = half_to_float(scale), start = half_to_float(minimum), inverse = step > 0 ? 1 / step : 0;
      for (std::int64_t k = 0; k < group; ++k) {
        const float q = k < count ? std::min(std::max(std::nearbyint((row[first + k] - start) * inverse), 0.f), 15.f) : 0.f;
        auto& byte = reinterpret_cast<std::uint8_t&>(panel[byte_of(lane, k)]);
        byte = k / 4 % 2 ? std::uint8_t((byte & 15) | int(q) << 4) : std::uint8_t((byte & 0xf0) | int(q));
      }
    }
  }

  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::byte* from = panel + k / group * group_bytes;
      const int both = std::to_integer<int>(from[byte_of(lane, k % group)]);
      out[k] = half_to_float(halves(from)[lane]) * float(k / 4 % 2 ? both >> 4 : both & 15) + half_to_float(halves(from)[width + lane]);
    }
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return Input::bytes(depth); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    Input::pack(x, first, depth, input, [](const float* from, std::int64_t count, std::int8_t* q) {
      const Quantized about = quantize_8bit(from, count, q);
      return InputFactors{about.scale, about.scale * about.sum};
    });
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& total) noexcept {
    Sums<F, Rows, Batches> sums = total;
    const std::int64_t stride = panel_bytes(cols);
    const std::byte* w = panel + first / group * group_bytes;
    for (std::int64_t g = 0; g < Input::groups(depth); ++g, w += group_bytes) {
      const auto dots = dot<Rows, Batches>(Input::steps(input, Rows, depth, g), reinterpret_cast<const std::int8_t*>(w), stride);
      const InputFactors* x = Input::factors(input, Rows, g);
      unroll<Batches>([&](auto v) {
        const std::uint16_t* about = halves(w + v / 2 * stride) + v % 2 * lanes<F>;
        const F scale = load_halves<F>(about), minimum = load_halves<F>(about + width);
        unroll<Rows>([&](auto r) {
          const F product = xsimd::batch_cast<float>(Dot::total(dots[r][v])) * scale;
          sums[r][v] = multiply_add(F(x[r].scale), product, multiply_add(F(x[r].offset), minimum, sums[r][v]));
        });
      });
    }
    total = sums;
  }

 private:
  static constexpr std::int64_t width = panel_width<F>;
  static constexpr std::int64_t group_bytes = group / 2 * width + 2 * width * std::int64_t(sizeof(std::uint16_t));

  static std::uint16_t* halves(std::byte* panel) noexcept { return reinterpret_cast<std::uint16_t*>(panel + group / 2 * width); }
  static const std::uint16_t* halves(const std::byte* panel) noexcept {
    return reinterpret_cast<const std::uint16_t*>(panel + group / 2 * width);
  }
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept {
    return k / 8 * 4 * width + lane / lanes<F> * 4 * lanes<F> + Dot::byte_of(lane % lanes<F>, k % 4);
  }

  template <int Rows, int Batches>
  static auto dot(const typename Dot::Step* x, const std::int8_t* w, std::int64_t stride) noexcept {
    using Partial = typename Dot::NibbleSums;
    std::array<std::array<Partial, Batches>, Rows> dots;
    unroll<Rows>([&](auto r) { dots[r].fill(Partial(0)); });
    for (std::int64_t steps = 0; steps < group / 8; ++steps, x += 8 * Rows, w += 4 * width) {
      std::array<std::array<typename Dot::Weights, 2>, Batches> weights;
      unroll<Batches>([&](auto v) { weights[v] = Dot::load_nibbles(w + v / 2 * stride + v % 2 * 4 * lanes<F>); });
      unroll<Rows>([&](auto r) {
        const auto even = Dot::splat(x + 4 * r), odd = Dot::splat(x + 4 * (Rows + r));
        unroll<Batches>([&](auto v) {
          dots[r][v] = Dot::add_nibbles(weights[v][1], odd, Dot::add_nibbles(weights[v][0], even, dots[r][v]));
        });
      });
    }
    return dots;
  }
};

}  // namespace webformer
