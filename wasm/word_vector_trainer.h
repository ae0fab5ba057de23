#pragma once
// Learning word vectors from JavaScript, which brings the texts and drives each step as a job.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "training/word_vectors.h"

namespace webformer {

class WordVectorTrainerHandle {
 public:
  explicit WordVectorTrainerHandle(const WordVectorConfig& config) : trainer_(std::make_shared<WordVectorTrainer>(config)) {}

  /// lengths: of texts that are staged one after the other.
  emscripten::val feed(emscripten::val lengths);
  /// How many steps there are.
  emscripten::val begin();
  bool done() const;
  /// A Job that makes {step, epoch, loss, learningRate, gradientNorm, words}.
  emscripten::val step();
  /// {words, vectors}
  emscripten::val vectors() const;
  emscripten::val checkpoint() const;

 private:
  std::shared_ptr<WordVectorTrainer> trainer_;
};

/// A WordVectorTrainerHandle. options: those of trainWordVectors() as JSON.
emscripten::val create_word_vector_trainer(std::string options);

}  // namespace webformer
