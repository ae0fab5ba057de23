#pragma once
// A loaded model as JavaScript holds it: weights, one session, the settings of its files, and its tokenizers.

#include <emscripten/val.h>

#include <memory>
#include <optional>
#include <string>

#include "decoding/config.h"
#include "model/session.h"
#include "text/text.h"

namespace webformer {

/// JavaScript runs one job at a time on it.
class ModelHandle {
 public:
  /// max_length: of the key-value cache in tokens, 0: the model's context.
  /// layout: of the loader.
  ModelHandle(std::shared_ptr<const Model> model, std::shared_ptr<const WeightPlan> layout, GenerationConfig generation,
              std::int64_t max_length);

  /// `target` turns ids that the model makes into text.
  void set_tokenizer(std::shared_ptr<const Tokenizer> target) { tokenizer_ = std::move(target); }

  const std::shared_ptr<const Model>& model() const noexcept { return model_; }
  /// From here on, this model of the same config. No job runs.
  void use(std::shared_ptr<const Model> model);
  /// Null where the model cannot be saved.
  const std::shared_ptr<const WeightPlan>& layout() const noexcept { return layout_; }

  emscripten::val info() const;
  emscripten::val forward(emscripten::val inputs, emscripten::val options);
  /// prompts, decoder_prompts: lists of lists of ids. settings: those of a task in config.json, as JSON; options: GenerateOptions as JSON.
  /// entropy: what is drawn with, where the options name no seed.
  emscripten::val generate(emscripten::val prompts, emscripten::val decoder_prompts, std::string settings, std::string options,
                           double entropy);
  /// An AttentionProbe with the heads of the stack that makes the last hidden state.
  emscripten::val attention_probe(int length, bool everything) const;

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const WeightPlan> layout_;
  GenerationConfig generation_;
  std::int64_t max_length_;
  std::optional<Session> session_;  // an encoder has none
  Workspace workspace_;             // of forward passes
  std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace webformer
