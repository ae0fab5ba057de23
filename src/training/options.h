#pragma once
// Where a training's settings come from: JSON with the names of TrainOptions.

#include <optional>

#include "formats/json.h"
#include "model/adapter.h"
#include "training/run.h"

namespace webformer {

struct TrainingOptions {
  std::optional<TrainingTask> task;        ///< none: each row is a batch
  std::optional<TrainingTask> validation;  ///< of the data to compare with
  RunConfig run;
  BatchOptions batches;
  ObjectiveOptions objective;
  std::optional<AdapterConfig> lora;
};

/// The names of TrainOptions in the API that concern the core, and `task`, `validationTask` ("batches" where rows are batches), `streamed`,
/// `prefix`, `sourceAround`, `targetAround` ([ids before, ids after]). Throws invalid_argument for values of another type or beyond their
/// bounds.
TrainingOptions read_training_options(const Json& options, const ModelConfig& model);

}  // namespace webformer
