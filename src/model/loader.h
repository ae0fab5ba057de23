#pragma once
// Loads a checkpoint whose bytes arrive in pieces: config first, then each file's table, then its tensors in file order.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "formats/json.h"
#include "formats/metadata.h"
#include "formats/tensor_table.h"
#include "model/model.h"

namespace webformer {

class ModelLoader {
 public:
  /// Reads config.json. Throws invalid_file, unsupported_model.
  ModelLoader(const Json& config, WeightPolicy policy, std::uint64_t memory_limit = 0);
  /// Reads the metadata of a GGUF file, which takes the place of config.json.
  ModelLoader(const Metadata& gguf, WeightPolicy policy, std::uint64_t memory_limit = 0);

  const ModelConfig& config() const noexcept { return model_.config; }
  /// The table of one file. Throws weight_mismatch, out_of_memory; `last` says that no other file follows: weight_missing.
  void bind(const TensorTable& table, bool last);
  const WeightPlan& plan() const noexcept { return plan_; }
  bool wants(std::string_view tensor) const { return plan_.wants(tensor); }
  void fill(const TensorInfo& tensor, std::span<const std::byte> bytes) { plan_.fill(tensor, bytes); }
  /// Before bind(): what labels is new, whatever the files have, and so is what they lack of the other heads, such as a pooler. The same
  /// seed gives the same weights. See with_new_head().
  void renew_head(std::uint64_t seed);
  /// Random weights instead of files: a model that is ready to train. The same seed gives the same weights.
  void randomize(std::uint64_t seed);
  /// The model, once all tensors are there. Nothing is kept if this throws.
  std::shared_ptr<const Model> finish();
  /// After finish(): where the model's weights are in the files that it is saved to; null for a GGUF file, whose names and layout are not
  /// those of a folder.
  std::shared_ptr<const WeightPlan> layout();

 private:
  void name_stored();

  WeightPolicy policy_;
  bool gguf_ = false;
  float deviation_;  // of random weights
  std::uint64_t memory_limit_;
  std::optional<Random> new_head_;
  WeightPlan plan_;
  Model model_;
  std::shared_ptr<std::vector<float>> rope_factors_;  // of a GGUF file, which may have none: frequencies are divided by them
};

}  // namespace webformer
