#include "wasm/attention_probe.h"

#include <cmath>
#include <limits>

#include "core/random.h"
#include "wasm/attention_offers.h"
#include "wasm/guard.h"

using emscripten::val;

namespace webformer {

namespace {

/// In [-scale, scale).
std::vector<float> random_floats(Random& random, std::int64_t count, float scale) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = (2 * float(random.uniform()) - 1) * scale;
  return numbers;
}

/// NaN is greater than every number here.
double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double(a[i]) - double(b[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace

AttentionProbe::AttentionProbe(int heads, int kv_heads, int head_size, int length, bool everything) {
  Random random(1);
  const std::int64_t width = std::int64_t(heads) * head_size, key_width = std::int64_t(kv_heads) * head_size, rows = length;
  query_ = random_floats(random, rows * width, 2);
  keys_ = random_floats(random, rows * key_width, 2);
  values_ = random_floats(random, rows * key_width, 2);
  output_.assign(query_.size(), std::numeric_limits<float>::quiet_NaN());
  expected_.resize(query_.size());
  blocks_[0] = keys_.data();
  blocks_[1] = values_.data();
  args_.query = {query_.data(), rows, width};
  args_.memory = {blocks_, blocks_ + 1, rows, rows, key_width};
  args_.output = {output_.data(), rows, width};
  args_.heads = heads;
  args_.kv_heads = kv_heads;
  args_.head_size = head_size;
  args_.scale = 1 / std::sqrt(float(head_size));
  args_.causal = true;
  if (!everything) return;

  slopes_ = random_floats(random, heads, 0.5f);
  relative_ = random_floats(random, heads * (2 * rows - 1), 1);
  bias_ = random_floats(random, rows * rows, 1);
  for (std::int64_t i = 0; i < rows * rows; ++i) mask_.push_back(std::uint8_t(i % 3 != 0));
  weights_.assign(std::size_t(heads * rows * rows), std::numeric_limits<float>::quiet_NaN());
  expected_weights_.resize(weights_.size());
  args_.weights = weights_.data();
  args_.softcap = 5;
  args_.window = rows * 2 / 3;
  args_.mask = mask_.data();
  args_.alibi_slopes = slopes_.data();
  args_.relative_bias = relative_.data();
  args_.relative_origin = rows - 1;
  args_.relative_count = 2 * rows - 1;
  args_.bias = bias_.data();
}

val AttentionProbe::args() const {
  return guarded([&] { return to_js(args_); });
}

val AttentionProbe::run() {
  return guarded([&] {
    AttentionArgs own = args_;
    own.output.data = expected_.data();
    if (own.weights) own.weights = expected_weights_.data();
    attention(own, workspace_);
    return val::undefined();
  });
}

double AttentionProbe::difference() const {
  const double outputs = largest_difference(output_, expected_), weights = largest_difference(weights_, expected_weights_);
  return outputs <= weights ? weights : outputs;
}

}  // namespace webformer
