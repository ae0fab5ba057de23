#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/dropout.h"
#include "kernels/reference.h"

namespace webformer::reference {

namespace {

/// sum_j f(j)
template <class F>
double sum(std::int64_t count, F f) {
  double total = 0;
  for (std::int64_t j = 0; j < count; ++j) total += f(j);
  return total;
}

/// softmax of a row.
std::vector<double> probabilities(ConstMatrix logits, std::int64_t i) {
  double largest = logits.at(i, 0);
  for (std::int64_t j = 0; j < logits.cols; ++j) largest = std::max(largest, double(logits.at(i, j)));
  std::vector<double> p(std::size_t(logits.cols), 0.0);
  for (std::int64_t j = 0; j < logits.cols; ++j) p[std::size_t(j)] = std::exp(logits.at(i, j) - largest);
  const double total = sum(logits.cols, [&](auto j) { return p[std::size_t(j)]; });
  for (double& x : p) x /= total;
  return p;
}

/// dx = (g - mean_g - (x - mean) slope) / s for a row, and what the weight and the bias of a norm get.
struct NormRow {
  double mean, s, mean_g, slope;
};

void norm_backward_row(std::int64_t i, ConstMatrix x, const float* weight, double offset, ConstMatrix dy, NormRow row, Matrix dx,
                       float* dweight, float* dbias) {
  for (std::int64_t j = 0; j < x.cols; ++j) {
    const double d = dy.at(i, j), g = d * (weight ? offset + weight[j] : 1), deviation = x.at(i, j) - row.mean;
    if (dweight) dweight[j] += float(d * deviation / row.s);
    if (dbias) dbias[j] += float(d);
    dx.at(i, j) = float((g - row.mean_g - deviation * row.slope) / row.s);
  }
}

}  // namespace

void linear_backward_input(ConstMatrix dy, ConstMatrix weights, Matrix dx) {
  for (std::int64_t m = 0; m < dy.rows; ++m)
    for (std::int64_t k = 0; k < weights.cols; ++k)
      dx.at(m, k) += float(sum(weights.rows, [&](auto n) { return double(dy.at(m, n)) * weights.at(n, k); }));
}

void linear_backward_weights(ConstMatrix x, ConstMatrix dy, Matrix gradient) {
  for (std::int64_t n = 0; n < dy.cols; ++n)
    for (std::int64_t k = 0; k < x.cols; ++k)
      gradient.at(n, k) += float(sum(x.rows, [&](auto m) { return double(dy.at(m, n)) * x.at(m, k); }));
}

void linear_backward_bias(ConstMatrix dy, float* gradient) {
  for (std::int64_t n = 0; n < dy.cols; ++n) gradient[n] += float(sum(dy.rows, [&](auto m) { return double(dy.at(m, n)); }));
}

double slope(Activation activation, double x) {
  const auto sigmoid = [](double u) { return 1 / (1 + std::exp(-u)); };
  const double root = std::sqrt(2 / std::numbers::pi);
  switch (activation) {
    case Activation::identity: return 1;
    case Activation::relu: return x > 0 ? 1 : 0;
    case Activation::gelu: return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    case Activation::gelu_tanh: {
      const double t = std::tanh(root * (x + 0.044715 * x * x * x));
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
    }
    case Activation::quick_gelu: return sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid(1.702 * x)));
    case Activation::silu: return sigmoid(x) * (1 + x * (1 - sigmoid(x)));
    case Activation::tanh: return 1 - std::tanh(x) * std::tanh(x);
    case Activation::sigmoid: return sigmoid(x) * (1 - sigmoid(x));
  }
  return 0;
}

void activate_backward(Activation activation, ConstMatrix x, ConstMatrix dy, Matrix dx) {
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) dx.at(i, j) = float(dy.at(i, j) * slope(activation, x.at(i, j)));
}

void activate_gated_backward(Activation activation, ConstMatrix gate, ConstMatrix up, ConstMatrix dy, Matrix dgate, Matrix dup) {
  for (std::int64_t i = 0; i < gate.rows; ++i) {
    for (std::int64_t j = 0; j < gate.cols; ++j) {
      const double d = dy.at(i, j), g = gate.at(i, j), u = up.at(i, j);
      dgate.at(i, j) = float(d * u * slope(activation, g));
      dup.at(i, j) = float(d * activate(activation, g));
    }
  }
}

void layer_norm_backward(ConstMatrix x, const float* weight, float epsilon, ConstMatrix dy, Matrix dx, float* dweight, float* dbias,
                         EpsilonPlace place) {
  const double n = double(x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const double mean = sum(x.cols, [&](auto j) { return x.at(i, j) / n; });
    const double variance = sum(x.cols, [&](auto j) { return (x.at(i, j) - mean) * (x.at(i, j) - mean) / n; });
    const double root = place == EpsilonPlace::variance ? std::sqrt(variance + epsilon) : std::sqrt(variance);
    const double s = place == EpsilonPlace::variance ? root : root + epsilon;
    const auto g = [&](auto j) { return dy.at(i, j) * (weight ? double(weight[j]) : 1); };
    const double slope = root > 0 ? sum(x.cols, [&](auto j) { return g(j) * (x.at(i, j) - mean); }) / (n * s * root) : 0;
    norm_backward_row(i, x, weight, 0, dy, {mean, s, sum(x.cols, g) / n, slope}, dx, dweight, dbias);
  }
}

void rms_norm_backward(ConstMatrix x, const float* weight, float offset, float epsilon, ConstMatrix dy, Matrix dx, float* dweight) {
  const double n = double(x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    const double square = sum(x.cols, [&](auto j) { return double(x.at(i, j)) * x.at(i, j) / n; }) + epsilon;
    const double product = sum(x.cols, [&](auto j) { return dy.at(i, j) * (weight ? double(offset) + weight[j] : 1) * x.at(i, j); });
    norm_backward_row(i, x, weight, offset, dy, {0, std::sqrt(square), 0, product / (n * square)}, dx, dweight, nullptr);
  }
}

void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) {
  for (std::int64_t i = 0; i < y.rows; ++i) {
    const double mean = sum(y.cols, [&](auto j) { return double(y.at(i, j)) * dy.at(i, j); });
    for (std::int64_t j = 0; j < y.cols; ++j) dx.at(i, j) = float(y.at(i, j) * (dy.at(i, j) - mean));
  }
}

void log_softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) {
  for (std::int64_t i = 0; i < y.rows; ++i) {
    const double total = sum(y.cols, [&](auto j) { return double(dy.at(i, j)); });
    for (std::int64_t j = 0; j < y.cols; ++j) dx.at(i, j) = float(dy.at(i, j) - std::exp(double(y.at(i, j))) * total);
  }
}

CrossEntropy cross_entropy(ConstMatrix logits, const std::int32_t* labels, float label_smoothing) {
  CrossEntropy result;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    if (labels[i] == ignored_label) continue;
    const std::vector<double> p = probabilities(logits, i);
    const double mean = sum(logits.cols, [&](auto j) { return std::log(p[std::size_t(j)]) / double(logits.cols); });
    result.total -= (1 - double(label_smoothing)) * std::log(p[std::size_t(labels[i])]) + label_smoothing * mean;
    ++result.counted;
  }
  return result;
}

void cross_entropy_backward(ConstMatrix logits, const std::int32_t* labels, float label_smoothing, float factor, Matrix dlogits) {
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    const std::vector<double> p = probabilities(logits, i);
    for (std::int64_t j = 0; j < logits.cols; ++j) {
      const double target = (j == labels[i] ? 1 - double(label_smoothing) : 0) + double(label_smoothing) / double(logits.cols);
      dlogits.at(i, j) = labels[i] == ignored_label ? 0 : float(factor * (p[std::size_t(j)] - target));
    }
  }
}

void soft_cap_backward(ConstMatrix y, float cap, ConstMatrix dy, Matrix dx) {
  for (std::int64_t i = 0; i < y.rows; ++i)
    for (std::int64_t j = 0; j < y.cols; ++j) dx.at(i, j) = float(dy.at(i, j) * (1 - double(y.at(i, j)) / cap * y.at(i, j) / cap));
}

void rope_backward(Matrix dy, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions,
                   const float* frequencies, float magnitude) {
  std::vector<float> negative(frequencies, frequencies + rotated / 2);
  for (float& f : negative) f = -f;
  reference::rope(dy, heads, head_size, rotated, layout, positions, negative.data(), magnitude);
}

void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients) {
  const std::int64_t queries = args.query.rows, keys = args.memory.length, size = args.head_size;
  const KeyValues& memory = args.memory;
  const auto at = [&](const float* const* blocks, std::int64_t s) { return blocks[s / memory.block] + (s % memory.block) * memory.stride; };
  std::vector<double> product(std::size_t(keys), 0.0), weight = product, weight_gradient = product;
  for (int h = 0; h < args.heads; ++h) {
    const std::int64_t column = h / (args.heads / args.kv_heads) * size;
    for (std::int64_t t = 0; t < queries; ++t) {
      const float *q = args.query.row(t) + h * size, *d_out = gradients.output.row(t) + h * size;
      const std::int64_t row = (h * queries + t) * keys, bias_row = ((args.bias_heads == 1 ? 0 : h) * queries + t) * keys;
      const auto relative = [&](std::int64_t s) { return h * args.relative_count + s - (args.offset + t) + args.relative_origin; };
      double largest = -1e300, total = 0;
      for (std::int64_t s = 0; s < keys; ++s) {
        if (!sees(args, t, s)) continue;
        const float* k = at(memory.keys, s) + column;
        double score = sum(size, [&](auto i) { return double(q[i]) * k[i]; }) * args.scale;
        product[std::size_t(s)] = score;
        if (args.softcap > 0) score = args.softcap * std::tanh(score / args.softcap);
        if (args.alibi_slopes) score += double(args.alibi_slopes[h]) * double(s - (args.offset + t));
        if (args.relative_bias) score += args.relative_bias[relative(s)];
        if (args.bias) score += args.bias[bias_row + s];
        weight[std::size_t(s)] = score;
        largest = std::max(largest, score);
      }
      for (std::int64_t s = 0; s < keys; ++s) {
        if (sees(args, t, s)) total += weight[std::size_t(s)] = std::exp(weight[std::size_t(s)] - largest);
      }
      double expected = 0;
      const Dropout dropout(args.dropout, args.dropout_seed);
      const auto kept = [&](std::int64_t s) { return args.dropout <= 0 ? 1 : dropout.keeps(row + s) ? 1 / (1 - double(args.dropout)) : 0; };
      for (std::int64_t s = 0; s < keys; ++s) {
        if (!sees(args, t, s)) continue;
        weight[std::size_t(s)] /= total;
        const float* v = at(memory.values, s) + column;
        double& d = weight_gradient[std::size_t(s)];
        d = kept(s) * sum(size, [&](auto i) { return double(d_out[i]) * v[i]; }) + (gradients.weights ? gradients.weights[row + s] : 0);
        expected += weight[std::size_t(s)] * d;
      }
      for (std::int64_t s = 0; s < keys; ++s) {
        if (!sees(args, t, s)) continue;
        double d = weight[std::size_t(s)] * (weight_gradient[std::size_t(s)] - expected);
        if (gradients.bias) gradients.bias[bias_row + s] += float(d);
        if (gradients.relative_bias) gradients.relative_bias[relative(s)] += float(d);
        if (args.softcap > 0) d *= 1 - std::pow(std::tanh(product[std::size_t(s)] / args.softcap), 2);
        for (std::int64_t i = 0; i < size; ++i) {
          gradients.query.row(t)[h * size + i] += float(d * args.scale * (at(memory.keys, s) + column)[i]);
          gradients.keys.row(s)[column + i] += float(d * args.scale * q[i]);
          gradients.values.row(s)[column + i] += float(weight[std::size_t(s)] * kept(s) * d_out[i]);
        }
      }
    }
  }
}

}  // namespace webformer::reference
