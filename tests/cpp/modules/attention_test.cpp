// Scaled dot-product attention: golden/modules 02 and 15.

#ifdef WEBFORMER_SHARED_DIR

#include <algorithm>

#include "modules/attention_call.h"
#include "modules/module.h"

using namespace webformer;
using modules::AttentionCall;
using modules::Case;

namespace {

void place_causality(const Json& about, AttentionCall& call) {
  const std::string causal = about["causal"].is_string() ? std::string(about["causal"].get_string()) : "";
  call.causal = !causal.empty();
  call.offset = causal == "bottom_right" ? call.keys() - call.queries() : 0;
}

float plain_scale(const AttentionCall& call) { return 1 / std::sqrt(float(call.key.shape[3])); }

AttentionCall read_call(const Case& c) {
  AttentionCall call;
  call.query = c.input("q");
  call.key = c.input("k");
  call.value = c.input("v");
  call.scale = float(c.about().get_or("scale_value", double(plain_scale(call))));
  place_causality(c.about(), call);
  if (c.has_input("mask")) call.mask = modules::spread_mask(c.input("mask"), call.query.shape[0], call.queries(), call.keys());
  if (c.has_input("bias")) call.bias = c.input("bias").data;
  return call;
}

/// Rows that see nothing: zeros here; what else one meets there.
void check_empty_rows(Case& c, const AttentionCall& call) {
  c.output("torch_sdpa", call.output);
  Array empty(call.weights.shape);
  for (std::int64_t row = 0; row < empty.matrix().rows; ++row) {
    const ConstMatrix weights = call.weights.matrix().rows_from(row, 1);
    const bool none = argmax({weights.data, std::size_t(weights.cols)}) == 0 && weights.data[0] == 0;
    std::fill_n(empty.matrix().row(row), weights.cols, none ? 1.f : 0.f);
  }
  c.output("inf_fill_is_nan", empty);
  // -1e9 in place of a mask, which hides all but where it hides everything. A bias is of one item here, so one item at a time.
  Array output(call.output.shape), weights(call.weights.shape);
  for (std::int64_t b = 0; b < call.query.shape[0]; ++b) {
    const auto item = [&](const Array& x) {
      const std::int64_t size = x.size() / x.shape[0];
      return Array(Shape{1, x.shape[1], x.shape[2], x.shape[3]}, {x.data.begin() + b * size, x.data.begin() + (b + 1) * size});
    };
    AttentionCall filled;
    filled.query = item(call.query);
    filled.key = item(call.key);
    filled.value = item(call.value);
    filled.scale = call.scale;
    const std::int64_t scores = call.queries() * call.keys();
    for (std::int64_t i = 0; i < call.query.shape[1] * scores; ++i)
      filled.bias.push_back(call.mask[std::size_t(b * scores + i % scores)] ? 0 : -1e9f);
    filled.forward(true);
    std::copy(filled.output.data.begin(), filled.output.data.end(), output.data.begin() + b * filled.output.size());
    std::copy(filled.weights.data.begin(), filled.weights.data.end(), weights.data.begin() + b * filled.weights.size());
  }
  c.output("out_minus_1e9", output);
  c.output("weights_minus_1e9", weights);
}

void check_attention(Case& c) {
  AttentionCall call = read_call(c);
  call.forward(false);
  c.output("out", call.output);
  call.forward(true);
  c.output("out", call.output);
  c.output("weights", call.weights);
  if (c.expects("inf_fill_is_nan")) check_empty_rows(c, call);
  if (c.expects("max_score")) {
    AttentionCall opposite = call;  // the largest score of the negative queries is the smallest one, negated
    for (float& q : opposite.query.data) q = -q;
    opposite.forward(false);
    c.output("max_score", std::max(*std::ranges::max_element(call.largest.data), *std::ranges::max_element(opposite.largest.data)));
  }
  call.backward(c.cotangent("out"), c.cotangent("weights"));
  c.gradient("q", call.query_gradient);
  c.gradient("k", call.key_gradient);
  c.gradient("v", call.value_gradient);
  if (c.expects_gradient("bias")) c.gradient("bias", call.bias_gradient);
}

void check_masks(Case& c) {
  const auto pad = std::int32_t(c.about()["pad_id"].get_integer());
  const auto src = c.ids("src"), tgt = c.ids("tgt");
  const std::int64_t batch = c.shape("src")[0], length = c.shape("tgt")[1];
  c.output("src_mask", modules::seen(src, batch, pad, false, 1));
  c.output("tgt_mask", modules::seen(tgt, batch, pad, true, length));
  c.output("causal", modules::seen(std::vector<std::int32_t>(std::size_t(length), pad + 1), 1, pad, true, length));
}

/// [M,K] x [N,K]^T
Array product(const Array& x, const Array& y) {
  PackedWeights packed(WeightType::f32, y.matrix().rows, y.matrix().cols);
  packed.fill(0, y.matrix());
  Array result(Shape{x.matrix().rows, packed.rows()});
  Workspace workspace;
  linear(x.matrix(), packed, nullptr, result.matrix(), workspace);
  return result;
}

/// Item b of [B,N,C].
Array item(const Array& x, std::int64_t b) {
  const std::int64_t size = x.shape[1] * x.shape[2];
  return Array(Shape{x.shape[1], x.shape[2]}, {x.data.begin() + b * size, x.data.begin() + (b + 1) * size});
}

void check_single_head(Case& c) {
  const Array x = c.input("x");
  const std::int64_t batch = x.shape[0], length = x.shape[1], width = x.shape[2];
  const std::string names[] = {"Wq.weight", "Wk.weight", "Wv.weight"};
  AttentionCall call;
  Array* const inputs[] = {&call.query, &call.key, &call.value};
  for (int i = 0; i < 3; ++i) *inputs[i] = Array(Shape{batch, 1, length, width}, product(x, c.weight(names[i])).data);
  call.scale = 1 / std::sqrt(float(width));
  call.causal = true;
  call.forward(true);
  c.output("out", call.output);
  c.output("weights", call.weights);
  std::vector<float> scores_qk, scores_xx;
  const Array q(x.shape, call.query.data), k(x.shape, call.key.data);
  for (std::int64_t b = 0; b < batch; ++b) {
    const Array qk = product(item(q, b), item(k, b)), xx = product(item(x, b), item(x, b));
    scores_qk.insert(scores_qk.end(), qk.data.begin(), qk.data.end());
    scores_xx.insert(scores_xx.end(), xx.data.begin(), xx.data.end());
  }
  c.output("scores_qk", scores_qk);
  c.output("scores_xx", scores_xx);

  const Array d_out = c.cotangent("out");
  call.backward(Array(call.output.shape, d_out.data), Array(call.weights.shape));
  const Array* const gradients[] = {&call.query_gradient, &call.key_gradient, &call.value_gradient};
  Array dx(x.shape);
  Workspace workspace;
  for (int i = 0; i < 3; ++i) {
    const ConstMatrix dy(gradients[i]->data.data(), batch * length, width);
    PackedWeights weight(WeightType::f32, width, width), gradient(WeightType::f32, width, width);
    weight.fill(0, c.weight(names[i]).matrix());
    linear_backward_weights(x.matrix(), dy, gradient, workspace);
    linear_backward_input(dy, weight, dx.matrix(), workspace);
    Array got(Shape{width, width});
    for (std::int64_t n = 0; n < width; ++n) gradient.row(n, got.matrix().row(n));
    c.gradient(names[i], got);
  }
  c.gradient("x", dx);
}

void check_score_variance(Case& c) {
  const Array q = c.input("q"), k = c.input("k");
  std::vector<float> variances, scaled;
  for (const Json& dim : c.about()["dims"].items()) {
    const std::int64_t size = dim.get_integer();
    AttentionCall call;  // one item a pair, with one key: its largest score is the product
    call.query = call.key = call.value = Array(Shape{q.shape[0], 1, 1, size});
    for (std::int64_t i = 0; i < q.shape[0]; ++i) {
      std::copy_n(q.matrix().row(i), size, call.query.matrix().row(i));
      std::copy_n(k.matrix().row(i), size, call.key.matrix().row(i));
    }
    for (const bool scales : {false, true}) {
      call.scale = scales ? plain_scale(call) : 1;
      call.forward(false);
      double sum = 0, squares = 0;
      for (const float score : call.largest.data) sum += score, squares += double(score) * score;
      const double count = double(call.largest.size());
      (scales ? scaled : variances).push_back(float(squares / count - sum / count * (sum / count)));
    }
  }
  c.output("variance", variances);
  c.output("variance_scaled", scaled);
}

/// The running largest score, sum and output after each block of keys: those of the keys up to its end.
void check_online_softmax(Case& c) {
  const Array scores = c.input("scores"), value = c.input("v");
  const std::int64_t count = scores.size(), width = value.shape[1], block = c.about()["block"].get_integer();
  std::vector<float> largest, sums, outputs;
  AttentionCall call;
  for (std::int64_t end = std::min(block, count);; end = std::min(end + block, count)) {
    call.query = Array(Shape{1, 1, 1, width});
    call.key = Array(Shape{1, 1, end, width});
    call.value = Array(Shape{1, 1, end, width}, {value.data.begin(), value.data.begin() + end * width});
    call.bias.assign(scores.data.begin(), scores.data.begin() + end);
    call.forward(false);
    largest.push_back(call.largest.data[0]);
    sums.push_back(call.sums.data[0]);
    for (const float output : call.output.data) outputs.push_back(output * call.sums.data[0]);
    if (end == count) break;
  }
  c.output("m", largest);
  c.output("l", sums);
  c.output("acc", outputs);
  c.output("out", call.output);
}

void check_tiled(Case& c) {
  Case shared(c.module(), "");
  AttentionCall call;
  call.query = shared.input("q");
  call.key = shared.input("k");
  call.value = shared.input("v");
  const auto factor = float(c.about()["q_factor"].get_number());
  for (float& q : call.query.data) q *= factor;
  call.scale = plain_scale(call);
  place_causality(c.about(), call);
  if (c.has_input("key_mask")) call.mask = modules::spread_mask(c.input("key_mask"), 1, call.queries(), call.keys());
  for (const bool with_weights : {true, false}) {
    call.forward(with_weights);
    c.output("out", call.output);
    Array log_sums = call.largest;
    for (std::size_t i = 0; i < log_sums.data.size(); ++i) log_sums.data[i] += std::log(call.sums.data[i]);
    c.output("lse", log_sums);
  }
  if (!c.expects_gradient("q")) return;
  call.forward(true);
  call.backward(shared.input("cotangent"), Array(call.weights.shape));
  for (float& d : call.query_gradient.data) d *= factor;
  c.gradient("q", call.query_gradient);
  c.gradient("k", call.key_gradient);
  c.gradient("v", call.value_gradient);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("02: attention and its gradients are PyTorch's: masks, causality, padding, bias, rows that see nothing, large scores") {
    modules::each_case("02_attention", [](Case& c) {
      if (c.has_input("src")) check_masks(c);
      else if (c.about().has("dims")) check_score_variance(c);
      else if (c.has_weight("Wq.weight")) check_single_head(c);
      else check_attention(c);
    });
  }

  TEST_CASE("15: attention and its gradients are PyTorch's at lengths that do not fit tiles, and softmax goes block by block") {
    modules::each_case("15_flash_attention", [](Case& c) {
      if (c.has_input("scores")) check_online_softmax(c);
      else if (!c.name().empty()) check_tiled(c);
    });
  }
}

#endif
