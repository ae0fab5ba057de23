#pragma once
// A real model whose logits are known: after token t they are row t of a table, whatever stands before.

#include <memory>
#include <vector>

#include "decoding/generate.h"

namespace webformer {

/// logits: [V][V], V even. A LLaMA whose layer adds nothing to the embedding, so that only the LM head speaks.
std::shared_ptr<const Model> table_model(const std::vector<std::vector<float>>& logits, std::int64_t context = 64);

/// Eight tokens: after 1 comes 2, after 2 comes 3, and so on to 7, then 0; the second best is the one after that.
std::vector<std::vector<float>> counting_logits();

/// Defaults, with 0 as end-of-sequence token.
GenerationConfig ending_at_zero();
/// Of a decoder-only model, with an entropy.
GenerationRequest request_of(std::vector<std::vector<std::int32_t>> prompts, GenerationConfig config);

struct Generated {
  GenerationResult result;
  std::vector<GenerationItem> items;
  int steps = 0;  ///< of the job
};
/// Runs a generation to its end, taking items after each step as JavaScript does.
Generated run_generation(Session& session, GenerationRequest request, const Tokenizer* tokenizer = nullptr);

/// What was streamed of one sequence.
std::vector<std::int32_t> streamed(const Generated& made, std::int64_t index);

/// Whether no sequence of a session is alive: a new one then gets the first place.
bool all_released(Session& session);

}  // namespace webformer
