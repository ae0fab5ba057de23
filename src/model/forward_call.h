#pragma once
// The state of one call of forward(), and the steps it is made of.

#include "model/forward.h"
#include "model/loss.h"
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
  float label_smoothing = 0;
  LossShare share;
  Packed source = {}, target = {};   // of encoder and decoder
  Matrix encoded = {}, hidden = {};  // the encoder's output beside a decoder; the last hidden state
  Memory memory = {};
  std::vector<int> sources = {};  // which source each target looks at
  ModelOutput output = {};

  const ModelConfig& config() const { return model.config; }
  /// The tokens whose last hidden state the heads read.
  const Packed& top() const { return model.decoder ? target : source; }
};

/// Reads and checks the inputs.
void read_inputs(ForwardCall& call);
/// Runs the stacks up to the last hidden state. What they make lives as long as the enclosing Scope.
Task<> run_stacks(ForwardCall& call);
/// The same for one stack's pass.
StackPass encoder_pass(const ForwardCall& call);
StackPass decoder_pass(const ForwardCall& call);
/// Fills call.output with what the heads make of the last hidden state: logits, scores of labels, the pooled vector. hidden: [N, C].
Task<> run_heads(ForwardCall& call);
/// From the gradients of the outputs, which lie in their place in call.output (see loss_backward), to that of the last hidden state,
/// which is added to. dhidden: [N, C].
void run_heads_backward(ForwardCall& call, Matrix dhidden, Backward& back);
/// How many rows of vocabulary logits the options ask for.
std::int64_t count_logit_rows(const ForwardCall& call);
/// Sets call.output.loss, times call.share, if the inputs have labels. Throws invalid_argument for labels that do not fit the model or its
/// outputs.
void compute_loss(ForwardCall& call);
/// Puts the gradients of the loss in the place of call.output's logits and scores.
void loss_backward(ForwardCall& call);
/// Labels of [B,T] as the rows of the logits see them: for a causal model, those of the next token.
std::vector<std::int32_t> aligned_labels(const ForwardCall& call);
/// Moves attention weights, hidden states and traces from the recorder to call.output.
void collect_watched(ForwardCall& call);

}  // namespace webformer
