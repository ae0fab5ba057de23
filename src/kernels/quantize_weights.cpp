#include "kernels/quantize_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace webformer {

namespace {

constexpr int most_steps = 15;
constexpr float largest_half = 65504;
/// The shares of a group's range that are tried as the range of the 16 steps: the numbers at its ends move, the others gain.
constexpr float shares[] = {1, 0.9f, 0.8f};

/// Numbers that lie on `steps` steps from the lowest one to the highest one, as near as halves can say it.
Int4Group group_of(float lowest, float highest, int steps) noexcept {
  const float scale = half_to_float(float_to_half((highest - lowest) / float(steps)));
  const float zero = -lowest / scale;
  // All equal, or nearly so beside their size: one step from a zero of -1 takes all of them.
  if (!(std::abs(zero) < largest_half)) return {float_to_half(lowest), float_to_half(-1)};
  return {float_to_half(scale), float_to_half(zero)};
}

int nearest(const Int4Group& group, float x) noexcept {
  const float scale = half_to_float(group.scale);
  if (scale == 0) return 0;
  return int(std::clamp(std::nearbyint(x / scale + half_to_float(group.zero)), 0.f, float(most_steps)));
}

bool keeps_all(const Int4Group& group, const float* x, std::int64_t count) noexcept {
  return std::all_of(x, x + count, [&](float v) { return group.value(nearest(group, v)) == v; });
}

/// Whether a number may be a half times a whole number up to 15: the product has 15 bits.
bool has_few_bits(float x) noexcept { return (std::bit_cast<std::uint32_t>(x) & 0x1ffu) == 0; }

float square_error(const Int4Group& group, const float* x, std::int64_t count) noexcept {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float error = group.value(nearest(group, x[i])) - x[i];
    sum += error * error;
  }
  return sum;
}

/// The line x ~ scale * (q - zero) that fits the numbers best (least squares), given the q of `group`.
Int4Group fit(const Int4Group& group, const float* x, std::int64_t count) noexcept {
  float q_mean = 0, x_mean = 0, variance = 0, covariance = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    q_mean += float(nearest(group, x[i])) / float(count);
    x_mean += x[i] / float(count);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const float q = float(nearest(group, x[i])) - q_mean;
    variance += q * q;
    covariance += q * (x[i] - x_mean);
  }
  if (!(variance > 0 && covariance > 0)) return group;
  const float scale = covariance / variance, lowest = x_mean - scale * q_mean;
  return group_of(lowest, lowest + scale * float(most_steps), most_steps);
}

/// The group that keeps all numbers, if they lie on at most 16 equal steps.
std::optional<Int4Group> exact_group(float lowest, float highest, const float* x, std::int64_t count) noexcept {
  if (!std::all_of(x, x + count, has_few_bits)) return std::nullopt;
  for (int steps = most_steps; steps > 0; --steps) {
    const Int4Group exact = group_of(lowest, highest, steps);
    if (keeps_all(exact, x, count)) return exact;
  }
  return std::nullopt;
}

/// The group with the least square error among some.
Int4Group best_group(float lowest, float highest, const float* x, std::int64_t count) noexcept {
  Int4Group best = group_of(lowest, highest, most_steps);
  float least = square_error(best, x, count);
  for (const float share : shares) {
    const float cut = (1 - share) / 2 * (highest - lowest);
    const Int4Group fitted = fit(group_of(lowest + cut, highest - cut, most_steps), x, count);
    const float error = square_error(fitted, x, count);
    if (error < least) {
      least = error;
      best = fitted;
    }
  }
  return best;
}

}  // namespace

float int8_scale(const float* row, std::int64_t count) noexcept {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(row[i]));
  return largest / 127;
}

float quantize_by(float scale, const float* row, std::int64_t count, std::int8_t* q) noexcept {
  const float inverse = scale > 0 && std::isfinite(1 / scale) ? 1 / scale : 0;
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float rounded = std::clamp(std::nearbyint(row[i] * inverse), -127.f, 127.f);
    q[i] = std::int8_t(rounded);
    sum += rounded;
  }
  return sum;
}

Int4Group quantize_4bit(const float* x, std::int64_t count, std::uint8_t* q) noexcept {
  const auto [lowest, highest] = std::minmax_element(x, x + count);
  const std::optional<Int4Group> exact = exact_group(*lowest, *highest, x, count);
  const Int4Group group = exact ? *exact : best_group(*lowest, *highest, x, count);
  for (std::int64_t i = 0; i < count; ++i) q[i] = std::uint8_t(nearest(group, x[i]));
  return group;
}

}  // namespace webformer
