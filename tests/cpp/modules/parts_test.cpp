// Feed-forward networks, positions, softmax and losses: golden/modules 04, 05 and 13.

#ifdef WEBFORMER_SHARED_DIR

#include "model/embeddings.h"
#include "model/loss.h"
#include "model/stack.h"
#include "modules/layer_run.h"
#include "modules/module.h"

using namespace webformer;
using modules::Case;
using modules::LayerRun;

namespace {

const std::map<std::string, Activation> activations{{"relu", Activation::relu},           {"gelu", Activation::gelu},
                                                    {"gelu_tanh", Activation::gelu_tanh}, {"silu", Activation::silu},
                                                    {"tanh", Activation::tanh},           {"sigmoid", Activation::sigmoid}};

const WeightNames ffn_names{
    .rows = {{"ffn.up", "linear1"}, {"ffn.down", "linear2"}, {"ffn.gate", "gate_proj"}, {"ffn.up", "up_proj"}, {"ffn.down", "down_proj"}}};

void check_ffn(Case& c) {
  const std::string formula(c.about()["formula"].get_string());
  StackConfig config;
  config.width = int(c.about()["d_model"].get_integer());
  config.inner = int(c.about()["d_ff"].get_integer());
  config.gated = c.has_weight("gate_proj.weight");
  config.ffn_bias = c.has_weight("linear1.bias");
  const std::size_t start = formula.find_first_not_of('(');
  config.activation = activations.at(formula.substr(start, formula.find('(', start) - start));

  WeightPlan plan(ffn_names, {});
  const FeedForward ffn = FeedForward::declare(WeightScope(plan, "ffn"), config);
  c.fill(plan);
  LayerRun run;
  modules::learn_all(plan, run.gradients);
  const Array x = c.input("x");
  Array out(x.shape), dx(x.shape);
  run.finish(ffn.forward(x.matrix(), out.matrix(), "ffn", run.pass));
  ffn.backward(c.cotangent("out").matrix(), dx.matrix(), run.back);
  c.output("out", out);
  c.gradient("x", dx);
  c.gradients(plan, run.gradients);
}

void check_activations(Case& c) {
  for (const auto& [name, activation] : activations) {
    const Array x = c.input("x");
    Array y = x, slope(x.shape, std::vector<float>(x.data.size(), 1.f));
    activate(activation, y.matrix());
    activate_backward(activation, x.matrix(), slope.matrix(), slope.matrix());
    c.output(name, y);
    c.output("d_" + name, slope);
  }
}

/// x + table[first row + t] for each item of [B,T,C].
Array add_rows(const Array& x, ConstMatrix table) {
  Array y = x;
  const std::int64_t length = x.shape[1];
  for (std::int64_t b = 0; b < x.shape[0]; ++b) add(y.matrix().rows_from(b * length, length), table.rows_from(0, length));
  return y;
}

void check_sinusoids(Case& c) {
  const int width = int(c.about()["d_model"].get_integer());
  const Array table = sinusoidal_table(c.about()["length"].get_integer(), width, SinusoidLayout::interleaved);
  c.output("table", table);
  if (!c.has_input("x")) return;
  c.output("table_at_4999", {sinusoidal_table(5000, width, SinusoidLayout::interleaved).matrix().row(4999), std::size_t(width)});
  c.output("out", add_rows(c.input("x"), table.matrix()));
  c.gradient("x", c.cotangent("out"));
  // PE[p+5] = M PE[p]: each pair of a sine and a cosine turns by 5 of its frequency, which is what row 5 holds.
  Array shift(Shape{width, width});
  for (int i = 0; i < width; i += 2) {
    const float sine = table.matrix().at(5, i), cosine = table.matrix().at(5, i + 1);
    shift.matrix().at(i, i) = shift.matrix().at(i + 1, i + 1) = cosine;
    shift.matrix().at(i, i + 1) = sine;
    shift.matrix().at(i + 1, i) = -sine;
  }
  c.output("shift_5", shift);
}

void check_learned_positions(Case& c) {
  const Array x = c.input("x"), positions = c.weight("pos_embedding.weight"), d_out = c.cotangent("out");
  const std::int64_t rows = positions.shape[0], width = positions.shape[1], length = x.shape[1], offset = c.about()["offset"].get_integer();
  PackedWeights table(WeightType::f32, rows, width), gradient(WeightType::f32, rows, width);
  table.fill(0, positions.matrix());
  Array looked_up(Shape{length, width}), d_table(positions.shape);
  for (std::int64_t t = 0; t < length; ++t) table.row(offset + t, looked_up.matrix().row(t));
  c.output("out", add_rows(x, looked_up.matrix()));
  c.gradient("x", d_out);
  for (std::int64_t i = 0; i < d_out.matrix().rows; ++i) gradient.add_to_row(offset + i % length, d_out.matrix().row(i));
  for (std::int64_t i = 0; i < rows; ++i) gradient.row(i, d_table.matrix().row(i));
  c.gradient("pos_embedding.weight", d_table);
}

void check_rope(Case& c) {
  const int rotated = int(c.about()["rotary_dim"].get_integer());
  const RopeLayout layout = c.about()["layout"].get_string() == "half" ? RopeLayout::half : RopeLayout::interleaved;
  std::vector<float> frequencies;
  for (int i = 0; i < rotated / 2; ++i) frequencies.push_back(float(std::pow(c.about()["base"].get_number(), -2.0 * i / rotated)));
  const std::vector<std::int32_t> positions = c.ids("positions");
  const auto each_head = [&](Array& x, auto turn) {  // [B,H,T,D]
    for (std::int64_t i = 0; i < x.shape[0] * x.shape[1]; ++i) {
      turn(x.matrix().rows_from(i * x.shape[2], x.shape[2]), 1, int(x.shape[3]), rotated, layout, positions.data(), frequencies.data(),
           1.f);
    }
  };
  std::map<std::string, Array> turned;
  for (const std::string name : {"q", "k"}) {
    turned[name] = c.input(name);
    each_head(turned[name], rope);
    c.output(name, turned[name]);
    Array gradient = c.cotangent(name);
    each_head(gradient, rope_backward);
    c.gradient(name, gradient);
  }
  const Array &q = turned["q"], &k = turned["k"];
  const std::int64_t heads = q.shape[0] * q.shape[1], length = q.shape[2];
  Array scores(Shape{q.shape[0], q.shape[1], length, length});
  Workspace workspace;
  for (std::int64_t i = 0; i < heads; ++i) {
    PackedWeights keys(WeightType::f32, length, q.shape[3]);
    keys.fill(0, k.matrix().rows_from(i * length, length));
    linear(q.matrix().rows_from(i * length, length), keys, nullptr, scores.matrix().rows_from(i * length, length), workspace);
  }
  c.output("scores", scores);
}

void check_alibi(Case& c) {
  const Shape& shape = c.module().tensor("out." + c.name() + ".bias").shape;
  const std::vector<float> slopes = alibi_slopes(int(c.about()["heads"].get_integer()), 8);
  c.output("slopes", slopes);
  Array bias(shape);
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    const std::int64_t s = i % shape[2], t = i / shape[2] % shape[1], h = i / (shape[2] * shape[1]);
    bias.data[std::size_t(i)] = -slopes[std::size_t(h)] * float(std::abs(s - (t + shape[2] - shape[1])));
  }
  c.output("bias", bias);
}

void check_relative_bias(Case& c) {
  const auto bucket = [&](std::int64_t distance) {
    return relative_bucket(distance, c.about()["bidirectional"].get_bool(), int(c.about()["num_buckets"].get_integer()),
                           int(c.about()["max_distance"].get_integer()));
  };
  std::vector<float> buckets;
  for (const std::int32_t distance : c.ids("relative")) buckets.push_back(float(bucket(distance)));
  c.output("bucket", buckets);
  if (!c.expects("bias")) return;
  const std::string name = "relative_attention_bias.weight";
  const Array table = c.weight(name), d_bias = c.cotangent("bias");
  const Shape& shape = d_bias.shape;
  PackedWeights gradient(WeightType::f32, table.shape[0], table.shape[1]);
  Array bias(shape), d_table(table.shape);
  std::vector<float> row(static_cast<std::size_t>(shape[0]));
  for (std::int64_t place = 0; place < shape[1] * shape[2]; ++place) {
    const int index = bucket(place % shape[2] - place / shape[2]);
    for (std::int64_t h = 0; h < shape[0]; ++h) {
      const auto at = std::size_t(h * shape[1] * shape[2] + place);
      bias.data[at] = table.matrix().at(index, h);
      row[std::size_t(h)] = d_bias.data[at];
    }
    gradient.add_to_row(index, row.data());
  }
  for (std::int64_t i = 0; i < table.shape[0]; ++i) gradient.row(i, d_table.matrix().row(i));
  c.output("bias", bias);
  c.gradient(name, d_table);
}

void check_softmax(Case& c) {
  const Array x = c.input("x");
  Array y = x, log_y = x;
  softmax(y.matrix());
  c.output("softmax", y);
  if (!c.expects("log_softmax")) return;
  log_softmax(log_y.matrix());
  c.output("log_softmax", log_y);
  std::vector<float> log_sums;
  for (std::int64_t i = 0; i < x.matrix().rows; ++i) log_sums.push_back(x.matrix().at(i, 0) - log_y.matrix().at(i, 0));
  c.output("logsumexp", log_sums);
  Array dx(x.shape), from_log(x.shape);
  softmax_backward(y.matrix(), c.cotangent("softmax").matrix(), dx.matrix());
  log_softmax_backward(log_y.matrix(), c.cotangent("log_softmax").matrix(), from_log.matrix());
  add(dx.matrix(), from_log.matrix());
  c.gradient("x", dx);
}

void check_cross_entropy(Case& c) {
  const Array logits = c.input("logits");
  const auto ignored = std::int32_t(c.about().get_or("ignore_index", -100));
  const auto smoothing = float(c.about().get_or("label_smoothing", 0.0));
  std::vector<std::int32_t> labels = c.ids("target");
  for (std::int32_t& label : labels) label = label == ignored ? ignored_label : label;
  c.output("mean", mean_cross_entropy(logits.matrix(), labels, smoothing));
  if (c.expects("none")) {
    std::vector<float> each;
    for (std::int64_t i = 0; i < logits.matrix().rows; ++i)
      each.push_back(float(cross_entropy(logits.matrix().rows_from(i, 1), &labels[std::size_t(i)], smoothing).total));
    c.output("none", each);
    c.output("sum", cross_entropy(logits.matrix(), labels.data(), smoothing).total);
    c.output("perplexity", std::exp(double(mean_cross_entropy(logits.matrix(), labels))));
  }
  Array gradient(logits.shape);
  mean_cross_entropy_backward(logits.matrix(), labels, smoothing, 1, gradient.matrix());
  c.gradient("logits", gradient);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("04: feed-forward networks and activations, and their gradients, are PyTorch's") {
    modules::each_case("04_ffn", [](Case& c) { c.about().has("d_ff") ? check_ffn(c) : check_activations(c); });
  }

  TEST_CASE("05: positions of every kind, and their gradients, are PyTorch's") {
    modules::each_case("05_positions", [](Case& c) {
      if (c.expects("table")) check_sinusoids(c);
      else if (c.has_weight("pos_embedding.weight")) check_learned_positions(c);
      else if (c.about().has("layout")) check_rope(c);
      else if (c.expects("slopes")) check_alibi(c);
      else check_relative_bias(c);
    });
  }

  TEST_CASE("13: softmax, cross-entropy and their gradients are PyTorch's") {
    modules::each_case("13_softmax_loss", [](Case& c) { c.has_input("x") ? check_softmax(c) : check_cross_entropy(c); });
  }
}

#endif
