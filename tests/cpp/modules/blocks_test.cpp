// Norms, residuals, encoder and decoder layers and stacks of them: golden/modules 06.

#ifdef WEBFORMER_SHARED_DIR

#include "model/families/family.h"
#include "model/remember.h"
#include "model/stack.h"
#include "modules/layer_run.h"
#include "modules/module.h"

using namespace webformer;
using modules::Case;
using modules::LayerRun;

namespace {

void check_norm(Case& c) {
  const Array x = c.input("x"), weight = c.weight("weight"), dy = c.cotangent("out");
  const auto epsilon = float(c.about()["eps"].get_number());
  Array out(x.shape), dx(x.shape), d_weight(weight.shape), d_bias(weight.shape);
  if (c.has_weight("bias")) {
    const bool outside = c.about()["formula"].get_string().find("(std + eps)") != std::string::npos;
    const EpsilonPlace place = outside ? EpsilonPlace::deviation : EpsilonPlace::variance;
    layer_norm(x.matrix(), weight.data.data(), c.weight("bias").data.data(), epsilon, out.matrix(), place);
    layer_norm_backward(x.matrix(), weight.data.data(), epsilon, dy.matrix(), dx.matrix(), d_weight.data.data(), d_bias.data.data(), place);
    c.gradient("bias", d_bias);
  } else {
    rms_norm(x.matrix(), weight.data.data(), 0, epsilon, out.matrix());
    rms_norm_backward(x.matrix(), weight.data.data(), 0, epsilon, dy.matrix(), dx.matrix(), d_weight.data.data());
  }
  c.output("out", out);
  c.gradient("x", dx);
  c.gradient("weight", d_weight);
}

void check_residual(Case& c) {
  const WeightNames names{.rows = {{"linear.weight", "weight"}}};
  const Array x = c.input("x");
  WeightPlan plan(names, {});
  const Linear linear = Linear::declare(WeightScope(plan, "linear"), int(x.shape[1]), int(x.shape[1]), false);
  c.fill(plan);
  LayerRun run;
  modules::learn_all(plan, run.gradients);
  Array out(x.shape), dx = c.cotangent("out");
  run.finish(linear.forward(x.matrix(), out.matrix(), run.pass));
  add(out.matrix(), x.matrix());
  linear.backward(c.cotangent("out").matrix(), dx.matrix(), run.back);
  c.output("out", out);
  c.gradient("x", dx);
  c.gradients(plan, run.gradients);
}

StackConfig layer_config(const Json& about, int layers) {
  const int width = int(about["d_model"].get_integer()), heads = int(about["heads"].get_integer());
  StackConfig c = modules::attention_config(width, heads, heads, width / heads);
  c.inner = int(about["d_ff"].get_integer());
  c.activation = about["activation"].get_string() == "gelu" ? Activation::gelu : Activation::relu;
  c.norm.epsilon = float(about.get_or("eps", 1e-5));
  c.norm_place = about["formula"].get_string().starts_with("x +=") ? NormPlace::pre : NormPlace::post;
  c.layers = c.distinct_layers = layers;
  c.layer.resize(std::size_t(layers));
  return c;
}

WeightPlan torch_plan(const StackConfig& c) { return WeightPlan(transformer.names, {c.heads, c.kv_heads, c.head_size}); }

void check_encoder_layer(Case& c) {
  const StackConfig config = layer_config(c.about(), 1);
  WeightPlan plan = torch_plan(config);
  const Layer layer = Layer::declare(WeightScope(plan, "encoder.0"), config, 0, 0);
  c.fill(plan, "encoder.layers.0.");
  LayerRun run;
  modules::learn_all(plan, run.gradients);
  const Packed rows = modules::pack_rows(c.shape("x")[0], c.shape("x")[1], c.ids("key_mask"), true);
  const StackPass stack{.config = config, .rows = rows.tokens.rows, .name = "encoder"};
  Array x = modules::take_rows(rows, c.input("x")), dx = modules::take_rows(rows, c.cotangent("out"));
  run.finish(layer.forward(x.matrix(), 0, stack, run.pass));
  run.finish(layer.backward(dx.matrix(), 0, stack, {}, run.back));
  CHECK(run.tape.empty());
  c.output("out", rows.unpack(x.matrix()));
  c.gradient("x", rows.unpack(dx.matrix()));
  c.gradients(plan, run.gradients, "encoder.layers.0.");
}

/// Keys and values of the memory's visible rows, for a stack of decoder layers.
struct Remembered {
  Packed rows;
  Array encoded;
  Memory memory;
  std::vector<int> sources;
};

Remembered remember_rows(const std::vector<Layer>& layers, const StackConfig& config, const Array& encoded,
                         const std::vector<std::int32_t>& mask, Pass& pass) {
  Remembered r;
  r.rows = modules::pack_rows(encoded.shape[0], encoded.shape[1], mask, false);
  r.encoded = modules::take_rows(r.rows, encoded);
  Stack stack;
  stack.config = config;
  stack.layers = layers;
  r.memory = Job<Memory>(pass.schedule, remember(stack, r.rows.tokens.rows, r.encoded.matrix(), pass)).finish();
  for (int b = 0; b < int(encoded.shape[0]); ++b) r.sources.push_back(b);
  return r;
}

void check_decoder_layer(Case& c) {
  StackConfig config = layer_config(c.about(), 1);
  config.causal = config.cross_attention = true;
  WeightPlan plan = torch_plan(config);
  const std::vector<Layer> layers{Layer::declare(WeightScope(plan, "decoder.0"), config, 0, config.width)};
  c.fill(plan, "decoder.layers.0.");
  LayerRun run;
  modules::learn_all(plan, run.gradients);
  const Remembered r = remember_rows(layers, config, c.input("memory"), c.ids("memory_mask"), run.pass);
  const Packed rows = modules::pack_rows(c.shape("x")[0], c.shape("x")[1], {}, true);
  const StackPass stack{.config = config, .rows = rows.tokens.rows, .name = "decoder", .memory = &r.memory, .sources = r.sources};
  Array x = modules::take_rows(rows, c.input("x")), dx = modules::take_rows(rows, c.cotangent("out")), d_encoded(r.encoded.shape);
  run.finish(layers[0].forward(x.matrix(), 0, stack, run.pass));
  Memory d_memory = r.memory.zeros();
  run.finish(layers[0].backward(dx.matrix(), 0, stack, {.memory = &d_memory}, run.back));
  layers[0].cross_attention->remember_backward(d_memory.keys[0].matrix(), d_memory.values[0].matrix(), d_encoded.matrix(), run.back);
  CHECK(run.tape.empty());
  c.output("out", rows.unpack(x.matrix()));
  c.gradient("x", rows.unpack(dx.matrix()));
  c.gradient("memory", r.rows.unpack(d_encoded.matrix()));
  c.gradients(plan, run.gradients, "decoder.layers.0.");
}

void check_stacks(Case& c) {
  const StackConfig encoder_config = layer_config(c.about(), 2);
  StackConfig decoder_config = encoder_config;
  decoder_config.cross_attention = true;
  WeightPlan plan = torch_plan(encoder_config);
  std::vector<Layer> encoder, decoder;
  for (int i = 0; i < 2; ++i) {
    encoder.push_back(Layer::declare(WeightScope(plan, "encoder." + std::to_string(i)), encoder_config, i, 0));
    decoder.push_back(Layer::declare(WeightScope(plan, "decoder." + std::to_string(i)), decoder_config, i, encoder_config.width));
  }
  c.fill(plan);
  LayerRun run;
  run.pass.tape = nullptr;
  const Packed rows = modules::pack_rows(c.shape("x")[0], c.shape("x")[1], {}, true);
  const auto run_layers = [&](const std::vector<Layer>& layers, const StackPass& stack) {
    Array x = c.input("x");
    const Matrix packed(x.data.data(), x.matrix().rows, x.matrix().cols);
    for (int i = 0; i < 2; ++i) run.finish(layers[std::size_t(i)].forward(packed, i, stack, run.pass));
    return x;
  };
  const Array encoded = run_layers(encoder, {.config = encoder_config, .rows = rows.tokens.rows, .name = "encoder"});
  const Remembered r = remember_rows(decoder, decoder_config, encoded, {}, run.pass);
  c.output("encoded", encoded);
  c.output("decoded",
           run_layers(decoder,
                      {.config = decoder_config, .rows = rows.tokens.rows, .name = "decoder", .memory = &r.memory, .sources = r.sources}));
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("06: norms, residuals, encoder and decoder layers, and their gradients, are PyTorch's") {
    modules::each_case("06_blocks", [](Case& c) {
      if (c.expects("decoded")) check_stacks(c);
      else if (c.has_input("memory")) check_decoder_layer(c);
      else if (c.has_input("key_mask")) check_encoder_layer(c);
      else if (c.about().has("eps")) check_norm(c);
      else check_residual(c);
    });
  }
}

#endif
