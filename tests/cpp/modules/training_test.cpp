// Optimizers, schedules and runs of 20 steps: golden/modules 11.

#ifdef WEBFORMER_SHARED_DIR

#include "modules/model_run.h"
#include "training/learning_rate.h"
#include "training/optimizer.h"

using namespace webformer;
using modules::Case;
using modules::columns;
using modules::ignore;
using modules::ModelRun;
using modules::Module;
using modules::not_padding;

namespace {

/// PyTorch's names of hyperparameters.
OptimizerConfig read_optimizer(const Json& about) {
  OptimizerConfig c;
  const std::string kind = about.get_or("kind", about.has("betas") ? about.has("weight_decay") ? "AdamW" : "Adam" : "SGD");
  c.kind = kind == "SGD" ? OptimizerKind::sgd : kind == "Adam" ? OptimizerKind::adam : OptimizerKind::adamw;
  c.momentum = float(about.get_or("momentum", 0.0));
  if (about.has("betas")) {
    c.beta1 = float(about["betas"].items()[0].get_number());
    c.beta2 = float(about["betas"].items()[1].get_number());
  }
  c.epsilon = float(about.get_or("eps", 0.0));
  c.weight_decay = float(about.get_or("weight_decay", 0.0));
  c.clip = float(about.get_or("clip_norm", 0.0));
  return c;
}

RateSchedule read_schedule(const Json& about, std::int64_t width) {
  const std::string text(about["lr"].get_string());
  if (text.starts_with("constant")) return {.kind = RateKind::constant, .peak = std::stod(text.substr(text.find(' ')))};
  RateSchedule schedule{.kind = text.starts_with("peak") ? RateKind::linear : RateKind::noam, .warmup = about["warmup"].get_integer()};
  schedule.peak = about[schedule.kind == RateKind::noam ? "factor" : "peak"].get_number();
  schedule.total = about.get_or("total", 0);
  schedule.width = width;
  return schedule;
}

/// One vector as all that is learned.
struct OneWeight {
  Weight weight{.name = "x", .matrix = nullptr, .vector = std::make_shared<std::vector<float>>()};
  Gradients gradients;

  explicit OneWeight(std::vector<float> start) {
    *weight.vector = std::move(start);
    gradients.add(*weight.vector);
  }
  void set_gradient(const float* from) { std::copy_n(from, weight.vector->size(), gradients.of(*weight.vector)); }
};

void check_optimizer(Case& c) {
  OneWeight one(c.input("start").data);
  const Array gradients = c.input("gradients");
  Optimizer optimizer(read_optimizer(c.about()), {one.weight}, one.gradients);
  std::vector<float> values;
  for (std::int64_t step = 0; step < gradients.shape[0]; ++step) {
    one.set_gradient(gradients.matrix().row(step));
    optimizer.step(float(c.about()["lr"].get_number()), optimizer.gradient_norm());
    values.insert(values.end(), one.weight.vector->begin(), one.weight.vector->end());
  }
  c.output("values", values);
}

/// A step of plain gradient descent with a rate of -1 adds what the gradient became.
void check_clipping(Case& c) {
  const Array a = c.input("a"), b = c.input("b");
  OneWeight first(std::vector<float>(a.data.size())), second(std::vector<float>(b.data.size()));
  Gradients both;
  both.add(*first.weight.vector);
  both.add(*second.weight.vector);
  std::ranges::copy(a.data, both.of(*first.weight.vector));
  std::ranges::copy(b.data, both.of(*second.weight.vector));
  Optimizer optimizer({.kind = OptimizerKind::sgd, .clip = float(c.about()["max_norm"].get_number())}, {first.weight, second.weight}, both);
  c.output("norm", optimizer.gradient_norm());
  optimizer.step(-1, optimizer.gradient_norm());
  c.output("a", *first.weight.vector);
  c.output("b", *second.weight.vector);
}

void check_schedules(Case& c) {
  const Json about = c.about();
  const RateSchedule noam{
      .kind = RateKind::noam, .peak = 1, .warmup = about["noam_warmup"].get_integer(), .width = about["d"].get_integer()};
  const RateSchedule linear{
      .kind = RateKind::linear, .peak = 1, .warmup = about["warmup"].get_integer(), .total = about["total"].get_integer()};
  RateSchedule cosine = linear;
  cosine.kind = RateKind::cosine;
  for (const auto& [name, schedule] : {std::pair{"noam", noam}, {"linear", linear}, {"cosine", cosine}}) {
    std::vector<float> rates;
    for (const std::int32_t step : c.ids("step")) rates.push_back(float(learning_rate(schedule, step)));
    c.output(name, rates);
  }
}

/// Part `index` of [parts, B, T] or [parts, B].
IdMatrix part(const Case& c, const std::string& name, std::int64_t index) {
  const Shape& shape = c.shape(name);
  const std::int64_t rows = shape[1], cols = shape.rank() > 2 ? shape[2] : 1;
  const std::vector<std::int32_t> all = c.ids(name);
  return {rows, cols, {all.begin() + index * rows * cols, all.begin() + (index + 1) * rows * cols}};
}

ForwardInputs batch_of(const Case& c, std::int64_t index) {
  if (c.has_input("src")) {
    const IdMatrix src = part(c, "src", index), tgt = part(c, "tgt", index), target = columns(tgt, 0, tgt.cols - 1);
    return {.input_ids = src,
            .attention_mask = not_padding(src, 0),
            .decoder_input_ids = target,
            .decoder_attention_mask = not_padding(target, 0),
            .labels = ignore(columns(tgt, 1, target.cols), 0)};
  }
  if (c.has_input("ids")) return {.input_ids = part(c, "ids", index), .labels = part(c, "ids", index)};
  return {.input_ids = part(c, "input_ids", index),
          .attention_mask = part(c, "attention_mask", index),
          .token_type_ids = part(c, "segment_ids", index),
          .labels = part(c, "labels", index),
          .next_sentence_label = part(c, "nsp_label", index).data};
}

std::string config_of(const Case& c) {
  const Json about = c.about();
  const auto number = [&](const char* name) { return about[name].to_json(); };
  const std::string start = R"({"model_type": "transformer", "d_model": )" + number("d_model") + R"(, "nhead": )" + number("heads") +
                            R"(, "dim_feedforward": )" + number("d_ff") + R"(, "vocab_size": )" + number("vocab");
  if (c.has_input("src")) {
    return start + R"(, "num_encoder_layers": )" + number("encoder_layers") + R"(, "num_decoder_layers": )" + number("decoder_layers") +
           "}";
  }
  if (c.has_input("ids")) {
    return start + R"(, "num_encoder_layers": 0, "num_decoder_layers": )" + number("layers") +
           R"(, "norm_first": true, "attention_bias": false})";
  }
  return start + R"(, "architectures": ["TransformerForPreTraining"], "num_encoder_layers": )" + number("layers") +
         R"(, "num_decoder_layers": 0, "type_vocab_size": 2, "activation": "gelu", "positions": "learned", "max_position_embeddings": )" +
         std::to_string(c.module().tensor("w." + c.name() + ".position_embedding.weight").shape[0]) + "}";
}

/// Losses within 1e-5 of the expected ones for the first five steps and 1e-4 for all; norms and weights within 1e-3.
void check_losses(Module& module, const std::string& name, std::vector<float> losses) {
  const std::vector<double>& expected = module.tensor(name).data;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double share = i < 5 ? 1e-5 : 1e-4;
    if (!(std::abs(losses[i] - expected[i]) <= share * expected[i])) {
      FAIL_CHECK(name << "[" << i << "] is " << losses[i] << ", " << expected[i] << " within " << share << " expected");
    }
  }
  module.compare_within(name, losses, 1e-4);
}

/// The run `name` on the model, data and first weights of `c`.
void check_run(Case& c, const std::string& name) {
  Module& module = c.module();
  const std::string out = "out." + name + ".";
  const Json about = module.about(name)["optimiser"];
  ModelRun run(c, config_of(c));
  Optimizer optimizer(read_optimizer(about), run.plan().weights(), run.gradients);
  const RateSchedule schedule = read_schedule(about, c.about()["d_model"].get_integer());
  const std::int64_t batches = c.about()["batches"].get_integer(), steps = module.tensor(out + "loss").shape[0];
  std::vector<float> losses, norms, rates;
  for (std::int64_t step = 1; step <= steps; ++step) {
    run.gradients.clear();
    losses.push_back(run.backward(batch_of(c, (step - 1) % batches), c.has_input("src") ? 0.1f : 0));
    norms.push_back(float(optimizer.gradient_norm()));
    rates.push_back(float(learning_rate(schedule, step)));
    optimizer.step(rates.back(), norms.back());
  }
  check_losses(module, out + "loss", losses);
  module.compare_within(out + "grad_norm", norms, 1e-3);
  module.compare(out + "lr", rates);
  const auto final_weights = run.plan().put_back([](const Weight& weight, std::int64_t row, float* to) {
    if (weight.matrix) weight.matrix->row(row, to);
    else std::ranges::copy(*weight.vector, to);
  });
  for (const auto& [weight, numbers] : final_weights) {
    if (module.has(out + "final." + weight)) module.compare_within(out + "final." + weight, numbers.data, 1e-3);
  }
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("11: optimizers, clipping and schedules are PyTorch's, and so are three models' losses over 20 steps of each") {
    modules::each_case("11_training", [](Case& c) {
      if (c.has_input("gradients")) check_optimizer(c);
      else if (c.expects("norm")) check_clipping(c);
      else if (c.has_input("step")) check_schedules(c);
      else if (!c.about().has("optimiser")) {
        for (const std::string& of_run : c.module().cases())
          if (of_run.starts_with(c.name() + ".")) check_run(c, of_run);
      }
    });
  }
}

#endif
