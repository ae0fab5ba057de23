#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/forward.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

/// All of a forward of two rows, the second one shorter, that was traced.
std::map<std::string, Array> trace_of(const Model& model) {
  ForwardInputs inputs{.input_ids = {2, 4, {3, 4, 5, 6, 7, 8, 9, 0}}, .attention_mask = {2, 4, {1, 1, 1, 1, 1, 1, 1, 0}}};
  if (model.config.kind == Kind::encoder_decoder) inputs.decoder_input_ids = {2, 3, {1, 3, 4, 1, 5, 6}};
  Workspace workspace;
  Schedule schedule;
  return Job<ModelOutput>(schedule, forward(model, std::move(inputs), {.trace = {"*.*.*.*"}}, workspace, schedule)).finish().trace;
}

/// The scores and weights of one attention against those of its queries and keys, [B, T, H*D] and [B, S, K*D], number by number.
void check_attention(const std::map<std::string, Array>& trace, const std::string& place, const StackConfig& c, bool causal,
                     const std::vector<std::int64_t>& query_counts, const std::vector<std::int64_t>& key_counts) {
  CAPTURE(place);
  const Array &query = trace.at(place + ".query"), &key = trace.at(place + ".key"), &scores = trace.at(place + ".scores"),
              &weights = trace.at(place + ".weights");
  const std::int64_t B = query.shape[0], T = query.shape[1], S = key.shape[1], H = c.heads, D = c.head_size;
  REQUIRE(scores.shape == Shape{B, H, T, S});
  REQUIRE(key.shape == Shape{B, S, c.kv_heads * D});
  REQUIRE(trace.at(place + ".value").shape == key.shape);
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t h = 0; h < H; ++h) {
      for (std::int64_t t = 0; t < query_counts[std::size_t(b)]; ++t) {
        const std::size_t row = std::size_t(((b * H + h) * T + t) * S);
        double sum = 0;
        for (std::int64_t s = 0; s < key_counts[std::size_t(b)]; ++s) {
          double product = 0;
          for (std::int64_t i = 0; i < D; ++i) {
            product += double(query.data[std::size_t((b * T + t) * H * D + h * D + i)]) *
                       double(key.data[std::size_t((b * S + s) * c.kv_heads * D + h / (H / c.kv_heads) * D + i)]);
          }
          const float score = scores.data[row + std::size_t(s)];
          if (causal && s > t) CHECK(score == -std::numeric_limits<float>::infinity());
          else CHECK(score == doctest::Approx(product * double(c.attention_scale)).epsilon(1e-4));
          sum += std::exp(double(score));
        }
        for (std::int64_t s = 0; s < key_counts[std::size_t(b)]; ++s) {
          const double weight = std::exp(double(scores.data[row + std::size_t(s)])) / sum;
          CHECK(weights.data[row + std::size_t(s)] == doctest::Approx(weight).epsilon(1e-4));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("a trace shows the scores that softmax reads, and the keys and values that cross-attention reads") {
  int checked = 0;
  std::vector<test::TinyModel> models = test::generating_models();
  models.insert(models.end(), test::labelling_models().begin(), test::labelling_models().end());
  for (const auto& tiny : models) {
    CAPTURE(tiny.name);
    const auto model = test::make_model(tiny.config);
    const StackConfig& top = model->config.top();
    // Those whose scores are products and nothing else.
    if (top.positions == Positions::alibi || top.positions == Positions::relative || top.attention_softcap > 0) continue;
    if (std::ranges::any_of(top.layer, [](const auto& layer) { return layer.window > 0 || layer.attention_scale != 1; })) continue;
    const auto trace = trace_of(*model);
    const std::vector<std::int64_t> source{4, 3}, target{3, 3};
    if (model->encoder) check_attention(trace, "encoder.0.self_attention", model->config.encoder, false, source, source);
    if (model->decoder) {
      const auto& counts = model->encoder ? target : source;
      check_attention(trace, "decoder.0.self_attention", model->config.decoder, true, counts, counts);
    }
    if (model->config.kind == Kind::encoder_decoder)
      check_attention(trace, "decoder.0.cross_attention", model->config.decoder, false, target, source);
    checked += 1 + 100 * (model->config.kind == Kind::encoder_decoder);
  }
  CHECK(checked > 102);  // with and without a decoder beside an encoder
}
