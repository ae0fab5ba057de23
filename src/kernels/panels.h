#pragma once
// How weights and inputs lie in memory while they are multiplied.
//
// W: [N, K] is cut into panels of panel_width outputs, the numbers of one input side by side: a panel is [K][panel_width], filled up
// with zeros beyond N. x: [M, K] is cut into tiles of a few rows and packed as [K][rows]. Each step of a kernel then reads one or two
// batches of weights and one number of each row, and keeps all sums of a tile in registers.
//
// A format (f32_panels.h, f16_panels.h, int8_panels.h, int4_panels.h) is a type with
//   tile_rows                                      the rows of the largest tile
//   depth_block                                    the inputs that are packed and multiplied at a time; a multiple of its groups
//   panel_bytes(cols)                              the size of a panel
//   write(panel, cols, lane, row), read(panel, cols, lane, out)     one output's weights
//   input_bytes(depth)                             the size of one packed row
//   pack(x, first, depth, input)                   inputs [first, first + depth) of the rows of x, a tile
//   multiply(input, panel, cols, first, depth, sums)   adds up a tile
// The order in which an output's products are summed does not depend on the tile, so that a row's result does not depend on its company.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/tensor.h"
#include "kernels/simd.h"

namespace webformer {

template <class F>
inline constexpr std::int64_t panel_width = 2 * lanes<F>;

/// The sums of a tile: rows by batches of outputs.
template <class F, int Rows, int Batches>
using Sums = std::array<std::array<F, Batches>, Rows>;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) noexcept { return (value + step - 1) / step * step; }

/// Where batch `v` of a tile that spans several panels begins; `panel` is the first one's `width` numbers in question.
template <class F, class T>
inline const T* batch_start(const T* first, std::int64_t panel_bytes, int v) noexcept {
  const auto* panel = reinterpret_cast<const std::byte*>(first) + v / 2 * panel_bytes;
  return reinterpret_cast<const T*>(panel) + v % 2 * lanes<F>;
}

}  // namespace webformer
