#pragma once
// The contract of this folder: a model is its config, one or two stacks, and heads. Weights are immutable and shared by sessions.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/config.h"
#include "model/heads.h"
#include "model/stack.h"

namespace webformer {

struct Adapter;

struct Model {
  ModelConfig config;
  std::optional<Stack> encoder;
  std::optional<Stack> decoder;
  Heads heads;
  std::shared_ptr<const Adapter> adapter;   ///< null: none
  std::vector<Weight> weights;              ///< all that can be learned, one that two places share once
  std::int64_t parameters = 0;              ///< numbers that can be learned, ties counted once
  std::size_t bytes = 0;                    ///< of all weights, as kept
  std::vector<std::string> unused_weights;  ///< tensors of the file that the model does not have

  /// Asks the plan for every weight. Nothing is allocated yet.
  static Model declare(const ModelConfig& config, WeightPlan& plan);
  /// The stack that makes the last hidden state.
  const Stack& top() const noexcept { return decoder ? *decoder : *encoder; }
};

}  // namespace webformer
