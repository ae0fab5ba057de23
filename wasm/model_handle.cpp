#include "wasm/model_handle.h"

#include "decoding/options.h"
#include "formats/json.h"
#include "wasm/attention_probe.h"
#include "wasm/forward_job.h"
#include "wasm/generation_job.h"
#include "wasm/guard.h"
#include "wasm/model_info.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

ModelHandle::ModelHandle(std::shared_ptr<const Model> model, std::shared_ptr<const WeightPlan> layout, GenerationConfig generation,
                         std::int64_t max_length)
    : layout_(std::move(layout)), generation_(std::move(generation)), max_length_(max_length) {
  use(std::move(model));
}

void ModelHandle::use(std::shared_ptr<const Model> model) {
  model_ = std::move(model);
  if (model_->decoder) session_.emplace(model_, max_length_);
}

val ModelHandle::info() const {
  return guarded([&] { return model_info(*model_); });
}

val ModelHandle::forward(val inputs, val options) {
  return guarded([&] { return val(start_forward(*model_, workspace_, inputs, options)); });
}

val ModelHandle::generate(val prompts, val decoder_prompts, std::string settings, std::string options, double entropy) {
  return guarded([&] {
    if (!session_) throw Error(Code::invalid_argument, "{}: an encoder cannot generate", model_->config.model_type);
    GenerationRequest request;
    request.prompts = id_lists_from_js(prompts);
    request.decoder_prompts = id_lists_from_js(decoder_prompts);
    request.config = generation_;
    request.entropy = std::uint64_t(entropy);
    if (!settings.empty()) apply_settings(request.config, JsonDocument::parse(settings, "config.json").root());
    apply_options(request.config, JsonDocument::parse(options, "options").root());
    return val(start_generation(*session_, tokenizer_, std::move(request)));
  });
}

val ModelHandle::attention_probe(int length, bool everything) const {
  return guarded([&] {
    const StackConfig& c = model_->top().config;
    return val(std::make_shared<AttentionProbe>(c.heads, c.kv_heads, c.head_size, length, everything));
  });
}

}  // namespace webformer
