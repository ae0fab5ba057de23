// Multi-head attention: golden/modules 03.

#ifdef WEBFORMER_SHARED_DIR

#include "model/families/family.h"
#include "modules/layer_run.h"
#include "modules/module.h"

using namespace webformer;
using modules::Case;
using modules::LayerRun;

namespace {

struct MultiHead {
  StackConfig config;
  WeightPlan plan;
  Attention attention;
  LayerRun run;

  MultiHead(const Case& c, int key_width, int value_width)
      : config(modules::attention_config(
            int(c.about()["d_model"].get_integer()), int(c.about()["heads"].get_integer()),
            int(c.about().get_or("kv_heads", c.about()["heads"].get_integer())),
            int(c.about().get_or("d_head", c.about()["d_model"].get_integer() / c.about()["heads"].get_integer())))),
        plan(multi_head_names(), {config.heads, config.kv_heads, config.head_size}) {
    const bool bias = c.has_weight("in_proj_bias") || c.has_weight("W_Q.bias");
    const WeightScope w(plan, "attention");
    const int query_width = config.heads * config.head_size, kv_width = config.kv_heads * config.head_size;
    attention = {.query = Linear::declare(w("query"), config.width, query_width, bias),
                 .key = Linear::declare(w("key"), key_width, kv_width, bias),
                 .value = Linear::declare(w("value"), value_width, kv_width, bias),
                 .output = Linear::declare(w("output"), query_width, config.width, bias)};
    c.fill(plan);
    modules::learn_all(plan, run.gradients);
  }

  void compare(Case& c, const Packed& queries, const Packed& keys, std::string_view kind, const Array& out, const Array& dx) {
    const auto& seen = run.recorder.seen("layer.0." + std::string(kind) + ".weights");
    const Array weights = unpack_weights(seen, queries, keys, config.heads);
    c.output("out", queries.unpack(out.matrix()));
    c.output("weights", weights);
    c.output("weights_mean", modules::mean_over_heads(weights));
    c.gradient("x", queries.unpack(dx.matrix()));
    c.gradients(plan, run.gradients);
    CHECK(run.tape.empty());
  }
};

void check_self(Case& c) {
  const Shape& shape = c.shape("x");
  MultiHead m(c, int(shape[2]), int(shape[2]));
  // The cases of grouped heads are causal, but do not say so.
  m.config.causal = c.about()["formula"].get_string().find("causal") != std::string::npos || c.about().has("kv_heads");
  const Packed rows =
      modules::pack_rows(shape[0], shape[1], c.has_input("key_mask") ? c.ids("key_mask") : std::vector<std::int32_t>(), true);
  const StackPass stack{.config = m.config, .rows = rows.tokens.rows, .name = "layer"};
  const Array x = modules::take_rows(rows, c.input("x"));
  Array out(x.shape), dx(x.shape);
  m.run.finish(m.attention.self(x.matrix(), out.matrix(), 0, stack, m.run.pass));
  const Array d_out = modules::take_rows(rows, c.cotangent("out"));
  m.attention.self_backward(d_out.matrix(), dx.matrix(), 0, stack, {}, m.run.back);
  m.compare(c, rows, rows, "self_attention", out, dx);
}

void check_cross(Case& c) {
  const std::string key_name = c.has_input("memory") ? "memory" : "key", value_name = c.has_input("memory") ? "memory" : "value";
  const Shape &shape = c.shape("x"), &key_shape = c.shape(key_name), &value_shape = c.shape(value_name);
  MultiHead m(c, int(key_shape[2]), int(value_shape[2]));
  const std::vector<std::int32_t> mask = c.has_input("key_mask") ? c.ids("key_mask") : std::vector<std::int32_t>();
  const Packed rows = modules::pack_rows(shape[0], shape[1], {}, true),
               sources = modules::pack_rows(key_shape[0], key_shape[1], mask, false);
  const Array x = modules::take_rows(rows, c.input("x")), keys = modules::take_rows(sources, c.input(key_name));
  const Array values = modules::take_rows(sources, c.input(value_name));
  Memory memory{.begin = sources.tokens.rows.begin};
  memory.keys.emplace_back(Shape{keys.shape[0], m.config.width});
  memory.values.emplace_back(memory.keys[0].shape);
  m.run.finish(m.attention.key.forward(keys.matrix(), memory.keys[0].matrix(), m.run.pass));
  m.run.finish(m.attention.value.forward(values.matrix(), memory.values[0].matrix(), m.run.pass));
  std::vector<int> of_each;
  for (int b = 0; b < int(shape[0]); ++b) of_each.push_back(b);
  const StackPass stack{.config = m.config, .rows = rows.tokens.rows, .name = "layer", .memory = &memory, .sources = of_each};
  Array out(x.shape), dx(x.shape), d_keys(keys.shape), d_values(values.shape);
  m.run.finish(m.attention.cross(x.matrix(), out.matrix(), 0, stack, m.run.pass));

  Memory d_memory = memory.zeros();
  const Array d_out = modules::take_rows(rows, c.cotangent("out"));
  m.attention.cross_backward(d_out.matrix(), dx.matrix(), 0, stack, {.memory = &d_memory}, m.run.back);
  m.attention.value.backward(d_memory.values[0].matrix(), d_values.matrix(), m.run.back);
  m.attention.key.backward(d_memory.keys[0].matrix(), d_keys.matrix(), m.run.back);
  if (key_name == value_name) {
    add(d_keys.matrix(), d_values.matrix());
  } else {
    c.gradient(value_name, sources.unpack(d_values.matrix()));
  }
  c.gradient(key_name, sources.unpack(d_keys.matrix()));
  m.compare(c, rows, sources, "cross_attention", out, dx);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("03: multi-head attention and its gradients are PyTorch's: self, causal, cross, other widths, grouped heads") {
    modules::each_case("03_multi_head", [](Case& c) { c.has_input("memory") || c.has_input("key") ? check_cross(c) : check_self(c); });
  }
}

#endif
