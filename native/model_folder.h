#pragma once
// A checkpoint folder on disk: config.json, weights, tokenizer.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "model/loader.h"
#include "text/text.h"

namespace webformer {

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const WeightPlan> layout;
  std::shared_ptr<const Tokenizer> source, target;  ///< null where the folder has none; one, where both sides have the same
};

/// Reads a folder. `fresh`: random weights by this seed instead of the folder's. Throws what the loader and the tokenizer's reader throw.
LoadedModel load_folder(const std::filesystem::path& folder, WeightPolicy policy, std::optional<std::uint64_t> fresh);

/// Writes the model, with what its adapter changes, and its other files from `origin`. Each file is whole at any moment.
void save_folder(const std::filesystem::path& folder, const std::filesystem::path& origin, const LoadedModel& loaded, DType dtype);

/// The adapter alone, as PEFT's two files.
void save_adapter_folder(const std::filesystem::path& folder, const LoadedModel& loaded);

}  // namespace webformer
