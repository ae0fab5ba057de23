// How many operations and parameters layers have: golden/modules 17. What Transformers are compared with there is not built here.

#ifdef WEBFORMER_SHARED_DIR

#include "kernels/parts.h"
#include "model/families/family.h"
#include "modules/layer_run.h"
#include "modules/module.h"

using namespace webformer;
using modules::Case;

namespace {

/// The parameters of a stack of the 2017 base model (Vaswani et al. 2017, table 3), with biases and without a final norm.
float base_parameters(bool is_decoder) {
  StackConfig c = modules::attention_config(512, 8, 8, 64);
  c.inner = 2048;
  c.activation = Activation::relu;
  c.norm_place = NormPlace::post;
  c.causal = c.cross_attention = is_decoder;
  WeightPlan plan(transformer.names, {c.heads, c.kv_heads, c.head_size});
  const std::string name = is_decoder ? "decoder.0" : "encoder.0";
  const Layer layer = Layer::declare(WeightScope(plan, name), c, 0, is_decoder ? c.width : 0);
  Random random(1);
  plan.randomize(random, 0.02f, WeightPolicy::f32, 1);
  constexpr int layers = 6;
  return float(layers * plan.parameters);
}

void check_counts(Case& c) {
  const std::int64_t width = c.about()["d"].get_integer();
  std::vector<float> attention, recurrent;
  for (const Json& json : c.about()["lengths"].items()) {
    const std::int64_t length = json.get_integer();
    attention.push_back(float(attention_operations(length, length, width)));
    recurrent.push_back(float(2 * linear_operations(length, width, width)));  // its input's product and its state's
  }
  c.output("attention", attention);
  c.output("recurrent", recurrent);
  c.output("base_parameters", std::vector{base_parameters(false), base_parameters(true)});
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("17: attention and the stacks of 2017 have as many operations and parameters as counted there") {
    modules::each_case("17_comparisons", [](Case& c) {
      if (c.expects("attention")) check_counts(c);
      else c.module().leave_out(c.name());
    });
  }
}

#endif
