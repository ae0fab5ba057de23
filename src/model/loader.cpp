#include "model/loader.h"

#include "model/families/family.h"

namespace webformer {

namespace {
WeightPlan::Fused fused_sizes(const StackConfig& c) { return {c.heads, c.kv_heads, c.head_size}; }
}  // namespace

ModelLoader::ModelLoader(const Json& config, WeightPolicy policy, std::uint64_t memory_limit)
    : policy_(policy),
      deviation_(float(config.get_or("initializer_range", config.get_or("init_std", 0.02)))),
      memory_limit_(memory_limit),
      plan_(family_of(config).names, {}) {
  const ModelConfig c = read_config(config);
  plan_ = WeightPlan(family_of(config).names, fused_sizes(c.top()));
  model_ = Model::declare(c, plan_);
}

void ModelLoader::bind(const TensorTable& table, bool last) {
  plan_.bind(table, policy_, memory_limit_);
  if (last) plan_.check_complete();
}

void ModelLoader::randomize(std::uint64_t seed) {
  Random random(seed);
  plan_.randomize(random, deviation_, policy_, 1 - model_.config.top().norm.weight_offset);
}

std::shared_ptr<const Model> ModelLoader::finish() {
  plan_.finish();
  if (model_.heads.lm) model_.heads.lm->settle_tie(plan_, model_.top().embeddings.tokens);
  model_.parameters = plan_.parameters;
  model_.bytes = plan_.bytes;
  model_.unused_weights = plan_.unused;
  return std::make_shared<const Model>(std::move(model_));
}

}  // namespace webformer
