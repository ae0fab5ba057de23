#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/dropout.h"

namespace webformer::reference {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// x_ij = f(x_ij, i, j)
template <class F>
void each(Matrix x, F f) {
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) x.at(i, j) = float(f(double(x.at(i, j)), i, j));
}

/// exp(x - max x), in place, and the sum of it: NaN where a number is NaN, 0 where all are -inf.
double exponentials(std::vector<double>& x) {
  double largest = -infinity, sum = 0;
  for (double v : x) largest = v > largest ? v : largest;
  if (largest == -infinity) largest = 0;
  for (double& v : x) sum += v = std::exp(v - largest);
  return sum;
}

std::vector<double> row_of(Matrix x, std::int64_t i) { return {x.row(i), x.row(i) + x.cols}; }

}  // namespace

void linear(ConstMatrix x, ConstMatrix weights, const float* bias, Matrix y) {
  for (std::int64_t m = 0; m < x.rows; ++m) {
    for (std::int64_t n = 0; n < weights.rows; ++n) {
      double sum = bias ? bias[n] : 0;
      for (std::int64_t k = 0; k < x.cols; ++k) sum += double(x.at(m, k)) * weights.at(n, k);
      y.at(m, n) = float(sum);
    }
  }
}

bool sees(const AttentionArgs& args, std::int64_t t, std::int64_t s) noexcept {
  const std::int64_t distance = args.offset + t - s;
  return !(args.causal && distance < 0) && !(args.window > 0 && std::abs(distance) >= args.window) &&
         !(args.mask && !args.mask[t * args.memory.length + s]);
}

void attention(const AttentionArgs& args) {
  const std::int64_t queries = args.query.rows, keys = args.memory.length, size = args.head_size;
  const KeyValues& memory = args.memory;
  std::vector<double> weights(std::size_t(keys), 0.0);
  const Dropout dropout(args.dropout, args.dropout_seed);
  const auto kept = [&](std::int64_t place) { return args.dropout <= 0 ? 1 : dropout.keeps(place) ? 1 / (1 - double(args.dropout)) : 0; };
  for (int h = 0; h < args.heads; ++h) {
    const std::int64_t column = h / (args.heads / args.kv_heads) * size;
    const auto row = [&](const float* const* blocks, std::int64_t s) {
      return blocks[s / memory.block] + (s % memory.block) * memory.stride + column;
    };
    for (std::int64_t t = 0; t < queries; ++t) {
      const float* query = args.query.row(t) + h * size;
      for (std::int64_t s = 0; s < keys; ++s) {
        double& score = weights[std::size_t(s)];
        score = -infinity;
        if (!sees(args, t, s)) continue;
        const std::int64_t distance = s - (args.offset + t);
        double dot = 0;
        for (std::int64_t i = 0; i < size; ++i) dot += double(query[i]) * row(memory.keys, s)[i];
        score = dot * args.scale;
        if (args.softcap > 0) score = args.softcap * std::tanh(score / args.softcap);
        if (args.alibi_slopes) score += double(args.alibi_slopes[h]) * double(distance);
        if (args.relative_bias) score += args.relative_bias[h * args.relative_count + distance + args.relative_origin];
        if (args.bias) score += args.bias[((args.bias_heads == 1 ? 0 : h) * queries + t) * keys + s];
      }
      if (args.largest) args.largest[h * queries + t] = float(*std::max_element(weights.begin(), weights.end()));
      const double sum = exponentials(weights);
      if (args.sums) args.sums[h * queries + t] = float(sum);
      for (double& weight : weights) weight = sum == 0 ? 0 : weight / sum;
      for (std::int64_t i = 0; i < size; ++i) {
        double output = 0;
        for (std::int64_t s = 0; s < keys; ++s)
          if (sees(args, t, s)) output += weights[std::size_t(s)] * kept((h * queries + t) * keys + s) * row(memory.values, s)[i];
        args.output.row(t)[h * size + i] = float(output);
      }
      if (args.weights)
        for (std::int64_t s = 0; s < keys; ++s) args.weights[(h * queries + t) * keys + s] = float(weights[std::size_t(s)]);
    }
  }
}

double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::identity: return x;
    case Activation::relu: return x < 0 ? 0 : x;
    case Activation::gelu: return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case Activation::gelu_tanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Activation::quick_gelu: return x / (1 + std::exp(-1.702 * x));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
  }
  return x;
}

void activate(Activation activation, Matrix x) {
  each(x, [&](double v, auto, auto) { return activate(activation, v); });
}

void activate_gated(Activation activation, Matrix gate, ConstMatrix up) {
  each(gate, [&](double v, auto i, auto j) { return activate(activation, v) * up.at(i, j); });
}

void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y, EpsilonPlace place) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double mean = 0, variance = 0;
    for (std::int64_t j = 0; j < x.cols; ++j) mean += x.at(i, j) / double(x.cols);
    for (std::int64_t j = 0; j < x.cols; ++j) variance += (x.at(i, j) - mean) * (x.at(i, j) - mean) / double(x.cols);
    const double deviation = place == EpsilonPlace::variance ? std::sqrt(variance + epsilon) : std::sqrt(variance) + epsilon;
    for (std::int64_t j = 0; j < x.cols; ++j) {
      const double normalized = (x.at(i, j) - mean) / deviation;
      y.at(i, j) = float(normalized * (weight ? weight[j] : 1) + (bias ? bias[j] : 0));
    }
  }
}

void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    double square = 0;
    for (std::int64_t j = 0; j < x.cols; ++j) square += double(x.at(i, j)) * x.at(i, j) / double(x.cols);
    for (std::int64_t j = 0; j < x.cols; ++j)
      y.at(i, j) = float(x.at(i, j) / std::sqrt(square + epsilon) * (weight ? double(offset) + weight[j] : 1));
  }
}

void softmax(Matrix x) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    std::vector<double> row = row_of(x, i);
    const double sum = exponentials(row);
    for (std::int64_t j = 0; j < x.cols; ++j) x.at(i, j) = sum == 0 ? 0 : float(row[std::size_t(j)] / sum);
  }
}

void log_softmax(Matrix x) {
  for (std::int64_t i = 0; i < x.rows; ++i) {
    if (x.cols == 0) continue;
    std::vector<double> row = row_of(x, i);
    const double largest = *std::max_element(row.begin(), row.end());
    const double sum = exponentials(row);
    for (std::int64_t j = 0; j < x.cols; ++j) x.at(i, j) = float(x.at(i, j) - largest - std::log(sum));
  }
}

void add(Matrix x, ConstMatrix y) {
  each(x, [&](double v, auto i, auto j) { return v + y.at(i, j); });
}

void scale(Matrix x, float factor) {
  each(x, [&](double v, auto, auto) { return v * factor; });
}

void soft_cap(Matrix x, float cap) {
  each(x, [&](double v, auto, auto) { return cap * std::tanh(v / cap); });
}

void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude) {
  for (std::int64_t t = 0; t < x.rows; ++t) {
    for (int h = 0; h < heads; ++h) {
      float* head = x.row(t) + std::int64_t(h) * head_size;
      for (int i = 0; i < rotated / 2; ++i) {
        float& a = head[layout == RopeLayout::half ? i : 2 * i];
        float& b = head[layout == RopeLayout::half ? i + rotated / 2 : 2 * i + 1];
        const float angle = float(positions[t]) * frequencies[i];  // in float, as Hugging Face: at position 4000 that is 1e-4 off
        const double cosine = std::cos(double(angle)) * magnitude, sine = std::sin(double(angle)) * magnitude;
        const double before = a;
        a = float(before * cosine - b * sine);
        b = float(b * cosine + before * sine);
      }
    }
  }
}

float dot(const float* a, const float* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += double(a[i]) * b[i];
  return float(sum);
}

void add_scaled(float factor, const float* x, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += factor * x[i];
}

bool all_finite(ConstMatrix x) {
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j)
      if (!std::isfinite(x.at(i, j))) return false;
  return true;
}

std::int64_t argmax(std::span<const float> x) {
  std::int64_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] > x[std::size_t(best)]) best = std::int64_t(i);
  return best;
}

}  // namespace webformer::reference
