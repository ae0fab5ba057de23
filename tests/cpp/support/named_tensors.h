#pragma once
// Checkpoints in memory: tensors by name, loaded as a file of safetensors.

#include <memory>
#include <string>
#include <vector>

#include "model/loader.h"

namespace webformer::test {

struct NamedTensor {
  std::string name;
  Array values;
};

/// Gives the loader one file with these tensors; no other one follows if `last`.
void load_file(ModelLoader& loader, const std::vector<NamedTensor>& tensors, const std::string& file = "model.safetensors",
               bool last = true);
/// The model of a config.json and one file.
std::shared_ptr<const Model> load_model(std::string_view config, const std::vector<NamedTensor>& tensors, std::uint64_t memory_limit = 0);

}  // namespace webformer::test
