#pragma once
// Training a loaded model from JavaScript, which brings the rows and drives each step as a job.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "model/adapter.h"
#include "training/evaluation.h"
#include "training/run.h"
#include "wasm/model_handle.h"
#include "wasm/tokenizer_handle.h"

namespace webformer {

class TrainerHandle {
 public:
  /// options: as JSON, see read_training_options(). Tokenizers may be null, and one.
  TrainerHandle(std::shared_ptr<ModelHandle> model, std::shared_ptr<TokenizerHandle> source, std::shared_ptr<TokenizerHandle> target,
                std::string_view options);

  /// Staged: a JSON list of rows, the first of which is number `first`; of the validation data or of those to learn from.
  emscripten::val add_rows(std::size_t length, double first, bool validation);
  /// The same for rows that are batches: a list of inputs.
  emscripten::val add_batches(emscripten::val inputs, bool validation);
  emscripten::val close();
  /// From a checkpoint that is staged, where length is not 0. The model gets its adapter, where one is to be trained. Returns
  /// {steps, total}: how many are behind, how many there will be in all (undefined where rows to come tell).
  emscripten::val begin(std::size_t length);
  /// {needsRows, done}: whether the next step needs rows that have not come, and whether there is none.
  emscripten::val state();
  /// A Job that makes {step, epoch, loss, learningRate, gradientNorm, tokens, epochEnds}.
  emscripten::val step();
  /// A Job for each batch of the validation data; it makes {loss, accuracy} of the last one, undefined before. Begins anew after it.
  emscripten::val evaluate();
  emscripten::val checkpoint();

 private:
  struct State {
    TrainingRun run;
    std::optional<TrainingSet> validation;
    std::optional<Evaluation> evaluation;
    Workspace workspace;
  };
  class StepJob;
  class EvaluationJob;

  TrainingSet& data(bool validation) { return validation ? *state_->validation : state_->run.data(); }

  std::shared_ptr<ModelHandle> model_;
  std::optional<AdapterConfig> lora_;
  std::uint64_t seed_ = 0;
  std::shared_ptr<State> state_;  // jobs hold it too
};

/// A TrainerHandle. Tokenizers may be null.
emscripten::val create_trainer(std::shared_ptr<ModelHandle> model, std::string options, std::shared_ptr<TokenizerHandle> source,
                               std::shared_ptr<TokenizerHandle> target);

}  // namespace webformer
