#pragma once
// The state of one call of forward(), and the steps it is made of.

#include "model/forward.h"
#include "model/packing.h"
#include "model/recorder.h"

namespace webformer {

/// All that one call works with.
struct ForwardCall {
  const Model& model;
  ForwardInputs inputs;
  ForwardOptions options;
  Recorder recorder;
  Pass pass;
  Packed source, target;  // of encoder and decoder
  ModelOutput output;

  const ModelConfig& config() const { return model.config; }
  /// The tokens whose last hidden state the heads read.
  const Packed& top() const { return model.decoder ? target : source; }
};

/// Fills call.output with what the heads make of the last hidden state: logits, scores of labels, the pooled vector. hidden: [N, C].
void run_heads(ForwardCall& call, ConstMatrix hidden);
/// How many rows of vocabulary logits the options ask for.
std::int64_t count_logit_rows(const ForwardCall& call);
/// Sets call.output.loss if the inputs have labels. Throws invalid_argument for labels that do not fit the model or its outputs.
void compute_loss(ForwardCall& call);
/// Moves attention weights, hidden states and traces from the recorder to call.output.
void collect_watched(ForwardCall& call);

}  // namespace webformer
