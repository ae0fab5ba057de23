#pragma once
// The adapter of a model, for JavaScript.

#include <emscripten/val.h>

#include <optional>

#include "model/adapter.h"
#include "wasm/model_handle.h"

namespace webformer {

/// The model with the adapter of these two staged files, adapter_config.json and adapter_model.safetensors.
emscripten::val load_adapter(ModelHandle& model, std::size_t config_length, std::size_t weights_length);
emscripten::val merge_adapter(ModelHandle& model);
/// {config, weights}: the same two files.
emscripten::val save_adapter(const ModelHandle& model);

/// What is to be trained: with `lora` the model and its adapter, or a new one; without, the model itself. The handle is not changed. Throws
/// invalid_argument where the model has an adapter, and another one, or none, is to be trained.
std::shared_ptr<const Model> model_to_train(const ModelHandle& model, const std::optional<AdapterConfig>& lora, std::uint64_t seed);

}  // namespace webformer
