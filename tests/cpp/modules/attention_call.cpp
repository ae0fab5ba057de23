#include "modules/attention_call.h"

#include <algorithm>

namespace webformer::modules {

namespace {

/// Item b of [B,H,N,d] as [N, H * size], each head filled up with zeros.
std::vector<float> side_by_side(const Array& x, std::int64_t b, std::int64_t size) {
  const std::int64_t heads = x.shape[1], rows = x.shape[2], width = x.shape[3];
  std::vector<float> y(std::size_t(rows * heads * size));
  const float* from = x.data.data() + b * heads * rows * width;
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < rows; ++i) std::copy_n(from + (h * rows + i) * width, width, y.data() + (i * heads + h) * size);
  return y;
}

/// The way back.
void put(const std::vector<float>& x, std::int64_t b, std::int64_t size, Array& y) {
  const std::int64_t heads = y.shape[1], rows = y.shape[2], width = y.shape[3];
  float* to = y.data.data() + b * heads * rows * width;
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < rows; ++i) std::copy_n(x.data() + (i * heads + h) * size, width, to + (h * rows + i) * width);
}

}  // namespace

struct AttentionCall::Item {
  std::int64_t b, size;
  std::vector<float> query, key, value, output;
  const float *key_block, *value_block;
  AttentionArgs args;
};

void AttentionCall::each_item(const std::function<void(Item&)>& work) {
  const std::int64_t heads = query.shape[1], size = std::max(key.shape[3], value.shape[3]);
  for (std::int64_t b = 0; b < query.shape[0]; ++b) {
    Item item{b, size, side_by_side(query, b, size), side_by_side(key, b, size), side_by_side(value, b, size), {}, nullptr, nullptr, {}};
    item.output = side_by_side(output, b, size);
    item.key_block = item.key.data();
    item.value_block = item.value.data();
    AttentionArgs& args = item.args;
    args.query = ConstMatrix(item.query.data(), queries(), heads * size);
    args.output = Matrix(item.output.data(), queries(), heads * size);
    args.memory = {&item.key_block, &item.value_block, keys(), std::max<std::int64_t>(keys(), 1), heads * size};
    args.heads = args.kv_heads = int(heads);
    args.head_size = int(size);
    args.scale = scale;
    args.causal = causal;
    args.offset = offset;
    args.mask = mask.empty() ? nullptr : mask.data() + b * queries() * keys();
    args.bias = bias.empty() ? nullptr : bias.data();
    args.bias_heads = int(heads);
    if (!weights.data.empty()) args.weights = weights.data.data() + b * heads * queries() * keys();
    args.largest = largest.data.data() + b * heads * queries();
    args.sums = sums.data.data() + b * heads * queries();
    work(item);
  }
}

void AttentionCall::forward(bool with_weights) {
  const std::int64_t batch = query.shape[0], heads = query.shape[1];
  output = Array(Shape{batch, heads, queries(), value.shape[3]});
  weights = with_weights ? Array(Shape{batch, heads, queries(), keys()}) : Array();
  largest = sums = Array(Shape{batch, heads, queries()});
  each_item([&](Item& item) {
    Workspace workspace;
    attention(item.args, workspace);
    put(item.output, item.b, item.size, output);
  });
}

void AttentionCall::backward(const Array& output_gradient, const Array& weights_gradient) {
  query_gradient = Array(query.shape);
  key_gradient = Array(key.shape);
  value_gradient = Array(value.shape);
  bias_gradient.assign(bias.size(), 0.f);
  each_item([&](Item& item) {
    const std::vector<float> d_output = side_by_side(output_gradient, item.b, item.size);
    std::vector<float> d_query(item.query.size()), d_key(item.key.size()), d_value(item.value.size());
    const std::int64_t width = item.args.query.cols, scores = item.args.heads * queries() * keys();
    Workspace workspace;
    attention_backward(item.args,
                       {.output = ConstMatrix(d_output.data(), queries(), width),
                        .weights = weights_gradient.data.data() + item.b * scores,
                        .query = Matrix(d_query.data(), queries(), width),
                        .keys = Matrix(d_key.data(), keys(), width),
                        .values = Matrix(d_value.data(), keys(), width),
                        .bias = bias.empty() ? nullptr : bias_gradient.data()},
                       workspace);
    put(d_query, item.b, item.size, query_gradient);
    put(d_key, item.b, item.size, key_gradient);
    put(d_value, item.b, item.size, value_gradient);
  });
}

std::vector<std::uint8_t> spread_mask(const Array& mask, std::int64_t batch, std::int64_t queries, std::int64_t keys) {
  std::vector<std::uint8_t> spread;
  const std::int64_t items = mask.shape.rank() == 1 ? 1 : mask.shape[0], rows = mask.size() / items / keys;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 0; t < queries; ++t) {
      const float* row = mask.data.data() + ((items > 1 ? b : 0) * rows + (rows > 1 ? t : 0)) * keys;
      for (std::int64_t s = 0; s < keys; ++s) spread.push_back(row[s] != 0);
    }
  }
  return spread;
}

Array seen(const std::vector<std::int32_t>& ids, std::int64_t batch, std::int32_t pad, bool causal, std::int64_t queries) {
  const std::int64_t keys = std::int64_t(ids.size()) / batch;
  AttentionCall call;
  call.query = Array(Shape{batch, 1, queries, 1});
  call.key = call.value = Array(Shape{batch, 1, keys, 1});
  call.causal = causal;
  Array mask(Shape{batch, 1, 1, keys});
  for (std::size_t i = 0; i < ids.size(); ++i) mask.data[i] = ids[i] != pad;
  call.mask = spread_mask(mask, batch, queries, keys);
  call.forward(true);
  for (float& weight : call.weights.data) weight = weight > 0;
  return call.weights;
}

}  // namespace webformer::modules
