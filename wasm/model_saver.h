#pragma once
// Saving a model's weights: the start of model.safetensors, then a tensor at a time.

#include <emscripten/val.h>

#include <string>

#include "model/model_writer.h"
#include "wasm/model_handle.h"

namespace webformer {

class ModelSaver {
 public:
  explicit ModelSaver(ModelWriter writer);

  /// Bytes of the whole file.
  double size() const;
  emscripten::val header();
  /// The bytes of the next tensor, or null after the last.
  emscripten::val next();

 private:
  ModelWriter writer_;
};

/// A ModelSaver. dtype: "f32" or "f16".
emscripten::val save_model(const ModelHandle& model, std::string dtype);

}  // namespace webformer
