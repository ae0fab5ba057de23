#pragma once
// The contract of this folder: prompts in, items while it works, sequences and texts out.

#include <cstdint>
#include <vector>

#include "core/task.h"
#include "decoding/config.h"
#include "decoding/options.h"
#include "decoding/result.h"
#include "model/session.h"
#include "text/text.h"

namespace webformer {

struct GenerationRequest {
  /// Decoder-only: what each sequence goes on from; an empty one becomes bos_token_id. Encoder-decoder: the sources.
  std::vector<std::vector<std::int32_t>> prompts;
  /// Encoder-decoder: how each target begins, after decoder_start_token_id; empty: all begin with that alone.
  std::vector<std::vector<std::int32_t>> decoder_prompts;
  GenerationConfig config;
  std::uint64_t entropy = 0;  ///< takes the place of an absent seed
};

/// Collects items; whoever drives the job takes them between its steps.
struct GenerationSink {
  std::vector<GenerationItem> items;
};

/// Greedy decoding, sampling, beam search or beam sampling, as the config says. A task that pauses after each step that made items: a
/// token of every sequence. Each prompt has sequences of its own in the session's cache, so that none sees its neighbours; a sequence
/// that ends leaves the batch, and all are released when the task ends, fails or is destroyed. `tokenizer` (the target's) may be null:
/// texts are then empty. session, tokenizer, sink and schedule must outlive the task.
///
/// A sequence ends at an end-of-sequence token (`eos`), at a stop string (`stop`), or at max_new_tokens, max_length or the end of the
/// session's context (`length`). A prompt that fills the context exactly makes nothing.
///
/// Throws invalid_argument (settings out of bounds, ids outside the vocabulary, a max_length that the prompt fills, a missing start
/// token), context_full (a longer prompt than the context), numeric_error (no token is possible, logits not finite).
Task<GenerationResult> generate(Session& session, const Tokenizer* tokenizer, GenerationRequest request, GenerationSink& sink,
                                Schedule& schedule);

}  // namespace webformer
