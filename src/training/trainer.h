#pragma once
// Training steps on a model: gradients of a batch, then new weights.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/backward.h"
#include "training/learning_rate.h"
#include "training/optimizer.h"

namespace webformer {

/// Calls work(0) to work(count - 1), at the same time where it can. When all have ended it returns, or throws what the first of those that
/// failed has thrown.
using Together = std::function<void(int count, const std::function<void(int)>& work)>;

struct TrainerConfig {
  OptimizerConfig optimizer;
  RateSchedule schedule;
  DropoutRates dropout;
  float label_smoothing = 0;
  std::uint64_t seed = 0;           ///< of dropout
  std::vector<std::string> frozen;  ///< starts of our names of weights that stay as they are: "encoder.embed", "decoder.0."
  int workers = 1;    ///< that share the parts of a batch, each with gradients of its own; their number changes the order of sums
  Together together;  ///< how they run, where there are several
};

struct TrainerStep {
  std::int64_t step = 0;  ///< counted from 1
  double loss = 0;        ///< mean over all labels of the batch
  double learning_rate = 0;
  double gradient_norm = 0;  ///< before clipping
};

class Trainer {
 public:
  /// Learns all weights of the model, or those of its adapter, where it has one: with them a head that labels. What is learned becomes f32,
  /// for good. Throws invalid_argument for a name in `frozen` that no weight has, or where nothing is left to learn.
  Trainer(std::shared_ptr<const Model> model, TrainerConfig config);

  /// One step on a batch in parts, whose gradients are added up as if they were one. Until it has ended the weights are as they were, also
  /// where it is abandoned. Throws what forward_backward() throws. With several workers it does not stop before its end.
  Task<TrainerStep> step(std::vector<ForwardInputs> parts, Workspace& workspace, Schedule& schedule);

  /// Weights, the optimizer's state and the number of steps, as a safetensors file.
  std::vector<std::byte> checkpoint();
  /// Goes on from a checkpoint of the same model and optimizer. Throws invalid_file, weight_mismatch; nothing has changed then.
  void resume(std::span<const std::byte> file);
  std::int64_t steps() const noexcept { return optimizer_.steps; }

 private:
  struct Part {
    ForwardInputs inputs;
    LossShare share;
    std::uint64_t seed;  // of its dropout, the same in a run that was resumed
  };
  /// What a pass writes to beside the first worker's.
  struct Worker {
    Tape tape;
    Gradients gradients;
    Workspace workspace;
  };

  /// Those parts of a batch that have something to be learned from.
  std::vector<Part> shares(std::vector<ForwardInputs> parts) const;
  Task<float> pass(Part part, Tape& tape, Gradients& gradients, Workspace& workspace, Schedule& schedule) const;
  /// Every worker has each so many-th part; their gradients are added in the workers' order. Returns the loss.
  double pass_together(std::vector<Part> parts, Workspace& workspace);

  std::shared_ptr<const Model> model_;
  TrainerConfig config_;
  std::vector<Weight> learned_;
  Gradients gradients_;
  Optimizer optimizer_;
  Tape tape_;
  std::vector<Worker> others_;
};

}  // namespace webformer
