#include "model/backward.h"

#include <cmath>

#include "model/forward_call.h"
#include "model/remember.h"

namespace webformer {

namespace {

/// Leaves an empty tape, whatever happens.
struct ClearAtEnd {
  Tape& tape;
  ~ClearAtEnd() { tape.clear(); }
};

Task<> stacks_backward(ForwardCall& call, Matrix dhidden, Backward& back) {
  const Model& model = call.model;
  if (!model.decoder) {
    co_await model.encoder->backward(call.source.tokens, encoder_pass(call), dhidden, {}, back);
    co_return;
  }
  Memory dmemory = call.memory.zeros();
  co_await model.decoder->backward(call.target.tokens, decoder_pass(call), dhidden, {.memory = &dmemory}, back);
  if (!model.encoder) co_return;
  Matrix dencoded = back.zeros(call.encoded.rows, call.encoded.cols);
  remember_backward(*model.decoder, dmemory, dencoded, back);
  co_await model.encoder->backward(call.source.tokens, encoder_pass(call), dencoded, {}, back);
}

}  // namespace

Task<float> forward_backward(const Model& model, ForwardInputs inputs, TrainingPass training, Workspace& workspace, Schedule& schedule) {
  Scope scope(workspace);
  ClearAtEnd clear{training.tape};
  ForwardCall call{.model = model,
                   .inputs = std::move(inputs),
                   .options = {},
                   .recorder = Recorder({}),
                   .pass = {.workspace = workspace, .schedule = schedule, .tape = &training.tape},
                   .label_smoothing = training.label_smoothing,
                   .share = training.share};
  read_inputs(call);
  using Logits = ForwardOptions::Logits;
  if (model.heads.lm) call.options.logits = call.inputs.labels.given() ? Logits::labelled : Logits::none;
  co_await run_stacks(call);
  co_await run_heads(call);
  compute_loss(call);
  if (!call.output.loss) throw Error(Code::invalid_argument, "labels: missing");
  if (!std::isfinite(*call.output.loss)) throw Error(Code::numeric_error, "loss {}: a finite number expected", *call.output.loss);

  loss_backward(call);
  Backward back{workspace, schedule, training.tape, training.gradients};
  Matrix dhidden = back.zeros(call.hidden.rows, call.hidden.cols);
  run_heads_backward(call, dhidden, back);
  co_await stacks_backward(call, dhidden, back);
  if (!training.tape.empty()) throw Error(Code::internal_error, "backward: something is left on the tape");
  co_return *call.output.loss;
}

}  // namespace webformer
