#pragma once
// Random calls of attention, for the tests of its forward and its backward.

#include "kernels/reference.h"
#include "support.h"

namespace webformer::test {

/// One random call of attention: shapes, blocks of keys, and any mixture of masks and biases.
struct AttentionSetup {
  RandomMatrix query, keys, values, output, expected;
  std::vector<const float*> key_blocks, value_blocks;
  std::vector<float> slopes, relative, bias, weights, expected_weights;
  std::vector<std::uint8_t> mask;
  AttentionArgs args;

  AttentionSetup(std::int64_t T, std::int64_t S, int heads, int kv_heads, int head_size, std::int64_t block, Random& random)
      : query(T, std::int64_t(heads) * head_size, random),
        keys(S, std::int64_t(kv_heads) * head_size, random),
        values(S, std::int64_t(kv_heads) * head_size, random),
        output(T, std::int64_t(heads) * head_size, random),
        expected(T, std::int64_t(heads) * head_size, random) {
    for (std::int64_t s = 0; s < std::max<std::int64_t>(S, 1); s += block) {
      key_blocks.push_back(keys.view().row(s));
      value_blocks.push_back(values.view().row(s));
    }
    args.query = query.view();
    args.output = output.view();
    args.memory = {key_blocks.data(), value_blocks.data(), S, block, keys.stride};
    args.heads = heads;
    args.kv_heads = kv_heads;
    args.head_size = head_size;
    args.scale = 1 / std::sqrt(float(head_size));
    args.offset = std::max<std::int64_t>(0, S - T);
  }

  void mix(Random& random) {
    const std::int64_t T = args.query.rows, S = args.memory.length, H = args.heads;
    const auto coin = [&] { return random.below(3) == 0; };
    const auto fill = [&](std::vector<float>& v, std::int64_t count) {
      v.resize(std::size_t(count));
      for (float& x : v) x = float(random.normal());
      return v.data();
    };
    args.causal = coin();
    if (coin()) args.window = 1 + random.below(std::uint32_t(S + 1));
    if (coin()) args.softcap = 2;
    if (coin()) {
      args.alibi_slopes = fill(slopes, H);
      for (float& slope : slopes) slope = std::min(std::abs(slope), 1.f) / 32;  // steep ones make scores of thousands, rounded to 1e-4
    }
    if (coin()) {
      args.relative_origin = args.offset + T;
      args.relative_count = args.relative_origin + S + 1;
      args.relative_bias = fill(relative, H * args.relative_count);
    }
    if (coin()) {
      args.bias_heads = coin() ? 1 : int(H);
      args.bias = fill(bias, args.bias_heads * T * S);
    }
    if (coin()) {
      mask.resize(std::size_t(T * S));
      for (auto& m : mask) m = std::uint8_t(random.below(2));
      args.mask = mask.data();
    }
    if (coin()) {
      args.dropout = 0.3f;
      args.dropout_seed = random.next();
    }
    if (coin()) {
      weights.resize(std::size_t(H * T * S));
      expected_weights = weights;
      args.weights = weights.data();
    }
  }

  void run() {
    Workspace workspace;
    attention(args, workspace);
    AttentionArgs naive = args;
    naive.output = expected.view();
    if (args.weights) naive.weights = expected_weights.data();
    reference::attention(naive);
  }
  double output_error() const { return worst_difference(output.view(), expected.view()); }
  double weights_error() const {
    const auto count = std::int64_t(weights.size());
    return worst_difference(ConstMatrix(weights.data(), 1, count), ConstMatrix(expected_weights.data(), 1, count));
  }
};

}  // namespace webformer::test
