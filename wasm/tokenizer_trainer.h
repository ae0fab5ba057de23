#pragma once
// trainTokenizer() for JavaScript.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "text/training/trainers.h"

namespace webformer {

/// Texts arrive through Staging. What is trained on lives as long as the job that train() starts.
class TokenizerTrainerHandle {
 public:
  explicit TokenizerTrainerHandle(std::shared_ptr<TokenizerTrainer> trainer) : trainer_(std::move(trainer)) {}

  /// lengths: of the staged texts.
  emscripten::val feed(emscripten::val lengths);
  /// A job whose steps bring {progress: {done, total}} and whose result is a Tokenizer.
  emscripten::val train();

 private:
  std::shared_ptr<TokenizerTrainer> trainer_;
};

/// options: TrainTokenizerOptions as JSON, without what is JavaScript's own. Names and types were checked there.
emscripten::val start_tokenizer_training(std::string kind, std::string options);

}  // namespace webformer
