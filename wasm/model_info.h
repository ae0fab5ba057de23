#pragma once
// What model.info tells.

#include <emscripten/val.h>

#include "model/model.h"

namespace webformer {

/// ModelInfo without `config` and `device`, which JavaScript knows.
emscripten::val model_info(const Model& model);

}  // namespace webformer
