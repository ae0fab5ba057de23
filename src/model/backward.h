#pragma once
// The gradients of a model's loss.

#include "model/forward.h"
#include "model/loss.h"
#include "model/tape.h"

namespace webformer {

struct TrainingPass {
  Tape& tape;  ///< empty; it is empty again at the end
  Gradients& gradients;
  float label_smoothing = 0;
  LossShare share = {};
};

/// Runs the model forward, with dropout as the tape says, and back from its loss: adds to the gradients. The inputs have labels. Returns
/// the loss, times the share. Throws what forward() throws, and numeric_error for a loss that is not finite; gradients may then have been
/// added in part.
Task<float> forward_backward(const Model& model, ForwardInputs inputs, TrainingPass training, Workspace& workspace, Schedule& schedule);

}  // namespace webformer
