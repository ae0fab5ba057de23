#pragma once
// Saving a model's weights: the start of model.safetensors, then a tensor at a time.

#include <emscripten/val.h>

#include "model/model_writer.h"

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

}  // namespace webformer
