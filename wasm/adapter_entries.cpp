#include "wasm/adapter_entries.h"

#include "formats/json.h"
#include "wasm/guard.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

namespace {

const WeightPlan& layout_of(const ModelHandle& model) {
  if (!model.layout()) throw Error(Code::unsupported_model, "adapter: a model from a GGUF file has no modules that one could name");
  return *model.layout();
}

const Model& adapted(const ModelHandle& model) {
  if (!model.model()->adapter) throw Error(Code::invalid_argument, "adapter: this model has none");
  return *model.model();
}

}  // namespace

val load_adapter(ModelHandle& model, std::size_t config_length, std::size_t weights_length) {
  return guarded([&] {
    const std::string_view config = Staging::text(config_length);
    const std::span<const std::byte> weights = Staging::bytes(config_length + weights_length).subspan(config_length);
    const JsonDocument json = JsonDocument::parse(config, "adapter_config.json");
    Adapter adapter = read_adapter(*model.model(), layout_of(model), json.root(), weights);
    model.use(with_adapter(*model.model(), std::make_shared<const Adapter>(std::move(adapter))));
    Staging::shrink();
    return val::undefined();
  });
}

val merge_adapter(ModelHandle& model) {
  return guarded([&] {
    model.use(with_adapter_merged(adapted(model)));
    return val::undefined();
  });
}

val save_adapter(const ModelHandle& model) {
  return guarded([&] {
    const std::vector<std::byte> weights = write_adapter(adapted(model), layout_of(model));
    val files = val::object();
    files.set("config", bytes_to_js(adapter_config_json(adapted(model), layout_of(model))));
    files.set("weights", bytes_to_js({reinterpret_cast<const char*>(weights.data()), weights.size()}));
    return files;
  });
}

std::shared_ptr<const Model> model_to_train(const ModelHandle& model, const std::optional<AdapterConfig>& lora, std::uint64_t seed) {
  const std::shared_ptr<const Adapter>& own = model.model()->adapter;
  if (!lora && own)
    throw Error(Code::invalid_argument, "lora: missing, but the model has an adapter; merge it first, or go on with lora of rank {}",
                own->config.rank);
  if (!lora) return model.model();
  if (own && own->config.rank != lora->rank)
    throw Error(Code::invalid_argument, "lora.rank: {} found, but the model has an adapter of rank {}; merge it first", lora->rank,
                own->config.rank);
  if (own) return model.model();
  return with_adapter(*model.model(), std::make_shared<const Adapter>(make_adapter(*model.model(), layout_of(model), *lora, seed)));
}

}  // namespace webformer
