#pragma once
// tests/fixtures/gguf: tiny checkpoints as llama.cpp's converter writes them, by make_gguf_models.py.

#include <memory>
#include <string>
#include <vector>

#include "formats/metadata.h"
#include "support/named_tensors.h"

namespace webformer::test {

struct GgufModel {
  Metadata metadata;
  std::vector<NamedTensor> tensors;  ///< dequantized

  std::shared_ptr<const Model> load(const std::vector<NamedTensor>& tensors) const;
};

GgufModel read_gguf_model(const std::string& name);
/// The file itself, as it streams in.
std::shared_ptr<const Model> load_gguf_model(const std::string& name);

}  // namespace webformer::test
