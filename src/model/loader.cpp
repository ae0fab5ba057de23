#include "model/loader.h"

#include "model/adapter.h"
#include "model/families/family.h"
#include "model/families/gguf.h"

namespace webformer {

namespace {

WeightPlan plan_for(const ModelConfig& c, const WeightNames& names) {
  const StackConfig& s = c.top();
  return WeightPlan(names, {s.heads, s.kv_heads, s.head_size});
}

ModelConfig gguf_model_config(const Metadata& metadata) {
  const JsonDocument document = JsonDocument::parse(gguf_config(metadata), "GGUF");
  ModelConfig c = read_config(document.root());
  adapt_to_gguf(metadata, c);
  return c;
}

/// Families have alternatives in their tables of names; these are the ones of transformers' classes.
bool has_tensor(const ModelConfig& c, std::string_view tensor) {
  const auto has = [&](std::string_view part) { return tensor.find(part) != std::string_view::npos; };
  if (has("qa_outputs")) return c.head == Head::question_answering;
  if (has("classifier.out_proj")) return c.classifier_dense;
  if (tensor.starts_with("classifier.")) return c.head != Head::question_answering;
  if (has(".wi_1.")) return c.top().gated;
  return true;
}

}  // namespace

ModelLoader::ModelLoader(const Json& config, WeightPolicy policy, std::uint64_t memory_limit)
    : policy_(policy),
      deviation_(float(config.get_or("initializer_range", config.get_or("init_std", 0.02)))),
      memory_limit_(memory_limit),
      plan_(family_of(config).names, {}) {
  const ModelConfig c = read_config(config);
  plan_ = plan_for(c, family_of(config).names);
  model_ = Model::declare(c, plan_);
}

ModelLoader::ModelLoader(const Metadata& gguf, WeightPolicy policy, std::uint64_t memory_limit)
    : policy_(policy), gguf_(true), deviation_(0.02f), memory_limit_(memory_limit), plan_(gguf_names(), {}) {
  const ModelConfig c = gguf_model_config(gguf);
  plan_ = plan_for(c, gguf_names());
  model_ = Model::declare(c, plan_);
  if (!c.decoder.ropes.empty()) rope_factors_ = plan_.optional_vector("decoder.rope_factors", c.decoder.ropes[0].rotated / 2);
}

void ModelLoader::bind(const TensorTable& table, bool last) {
  plan_.bind(table, policy_, memory_limit_);
  if (!last) return;
  if (new_head_) {
    plan_.randomize_missing(*new_head_, deviation_, policy_, 1 - model_.config.top().norm.weight_offset, "heads.");
    name_stored();
  }
  plan_.check_complete();
}

void ModelLoader::renew_head(std::uint64_t seed) {
  plan_.leave_out(labelling_head);
  new_head_.emplace(seed);
}

void ModelLoader::name_stored() {
  plan_.name_stored(model_.config.head != Head::none, [&](std::string_view tensor) { return has_tensor(model_.config, tensor); });
}

void ModelLoader::randomize(std::uint64_t seed) {
  Random random(seed);
  plan_.randomize(random, deviation_, policy_, 1 - model_.config.top().norm.weight_offset);
  name_stored();
}

std::shared_ptr<const Model> ModelLoader::finish() {
  plan_.finish();
  if (new_head_) plan_.rename_stored(true);
  if (model_.heads.lm) {
    std::shared_ptr<PackedWeights>& output = model_.heads.lm->output.weight;
    const std::shared_ptr<PackedWeights> own = output;
    model_.heads.lm->settle_tie(plan_, model_.top().embeddings.tokens);
    plan_.tie(own, output);
  }
  if (rope_factors_ && plan_.filled(rope_factors_)) {
    for (StackConfig* c : {&model_.config.decoder, &model_.decoder->config}) {
      for (std::size_t i = 0; i < rope_factors_->size(); ++i) c->ropes[0].frequencies[i] /= (*rope_factors_)[i];
    }
  }
  rope_factors_.reset();
  model_.weights = plan_.weights();
  model_.parameters = plan_.parameters;
  model_.bytes = plan_.bytes;
  model_.unused_weights = plan_.unused;
  return std::make_shared<const Model>(std::move(model_));
}

std::shared_ptr<const WeightPlan> ModelLoader::layout() {
  if (gguf_) return nullptr;
  plan_.release();
  return std::make_shared<const WeightPlan>(std::move(plan_));
}

}  // namespace webformer
