#pragma once
// A checkpoint folder on disk: config.json, weights, tokenizer.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "model/loader.h"
#include "model/new_head.h"
#include "text/text.h"

namespace webformer {

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const WeightPlan> layout;
  std::string config;                               ///< config.json
  std::shared_ptr<const Tokenizer> source, target;  ///< null where the folder has none; one, where both sides have the same
};

struct LoadSettings {
  WeightPolicy policy = WeightPolicy::as_stored;
  bool fresh = false;           ///< random weights instead of the folder's
  std::optional<NewHead> head;  ///< in the place of what the folder has
  std::uint64_t seed = 0;       ///< of what is new
};

/// Reads a folder. Throws what the loader and the tokenizer's reader throw.
LoadedModel load_folder(const std::filesystem::path& folder, const LoadSettings& settings);

/// Writes the model, with what its adapter changes, and its other files from `origin`. Each file is whole at any moment.
void save_folder(const std::filesystem::path& folder, const std::filesystem::path& origin, const LoadedModel& loaded, DType dtype);

/// The adapter alone, as PEFT's two files.
void save_adapter_folder(const std::filesystem::path& folder, const LoadedModel& loaded);

}  // namespace webformer
