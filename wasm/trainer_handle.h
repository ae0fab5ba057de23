#pragma once
// Training a loaded model from JavaScript, which brings the batches and drives each step as a job.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "training/trainer.h"

namespace webformer {

class TrainerHandle {
 public:
  /// options: as JSON, the numbers of TrainOptions that concern a step, and schedule.total.
  TrainerHandle(std::shared_ptr<const Model> model, std::string_view options);

  /// A Job that makes {step, loss, learningRate, gradientNorm} of a list of inputs, the parts of one batch.
  emscripten::val step(emscripten::val parts);
  emscripten::val checkpoint();
  /// From a checkpoint that is staged. Returns how many steps it has made.
  emscripten::val resume(std::size_t length);

 private:
  std::shared_ptr<Trainer> trainer_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace webformer
