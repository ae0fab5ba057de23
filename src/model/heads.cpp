#include "model/heads.h"

#include <algorithm>
#include <cstring>

namespace webformer {

LmHead LmHead::declare(const WeightScope& w, const ModelConfig& c) {
  const StackConfig& top = c.top();
  const int width = top.embedding_width ? top.embedding_width : top.width;
  const int vocab = c.kind == Kind::encoder_decoder ? c.target_vocab_size : c.vocab_size;
  LmHead head;
  if (c.lm_head_transform) {
    head.transform = Linear::declare(w("transform"), top.output_width(), width, c.lm_head_transform_bias);
    head.norm = Norm::declare(w("norm"), width, c.head_norm);
    head.activation = c.head_activation;
  }
  const WeightScope output = w("output");
  head.output.weight = c.tied ? w.plan().optional_matrix(output("weight").path(), vocab, width) : output.matrix("weight", vocab, width);
  if (c.lm_head_bias) head.output.bias = output.vector("bias", vocab);
  head.scale = c.logits_scale;
  head.softcap = c.logits_softcap;
  return head;
}

void LmHead::settle_tie(const WeightPlan& plan, const Embedding& tokens) {
  const PackedWeights &own = *output.weight, &shared = *tokens.table;
  const bool equal = plan.filled(output.weight) && own.type() == shared.type() && own.rows() == shared.rows() &&
                     own.bytes() == shared.bytes() && std::memcmp(own.data(), shared.data(), own.bytes()) == 0;
  if (equal || !plan.filled(output.weight)) output.weight = tokens.table;
}

Task<> LmHead::forward(ConstMatrix hidden, Matrix logits, Pass& pass) const {
  Scope scope(pass.workspace);
  ConstMatrix x = hidden;
  if (transform || scale != 1) {
    Matrix changed = pass.lasting(hidden.rows, transform ? transform->weight->rows() : hidden.cols);
    if (transform) {
      co_await transform->forward(hidden, changed, pass);
      if (pass.tape) pass.tape->push_copy(changed);
      activate(activation, changed);
      norm->forward(changed, changed, pass);
    } else {
      copy(hidden, changed);
    }
    if (scale != 1) webformer::scale(changed, scale);
    x = changed;
  }
  co_await output.forward(x, logits, pass);
  if (softcap > 0) {
    soft_cap(logits, softcap);
    if (pass.tape) pass.tape->push_copy(logits);
  }
}

void LmHead::backward(Matrix dlogits, Matrix dhidden, Backward& back) const {
  Scope scope(back.workspace);
  if (softcap > 0) soft_cap_backward(back.tape.pop(), softcap, dlogits, dlogits);
  Matrix dx = back.zeros(dlogits.rows, output.weight->cols());
  output.backward(dlogits, dx, back);
  if (scale != 1) webformer::scale(dx, scale);
  if (transform) {
    norm->backward(dx, dx, back);
    activate_backward(activation, back.tape.pop(), dx, dx);
    transform->backward(dx, dhidden, back);
  } else {
    add(dhidden, dx);
  }
}

Classifier Classifier::declare(const WeightScope& w, const ModelConfig& c, int labels) {
  const int width = c.top().output_width();
  Classifier classifier;
  if (c.classifier_dense) classifier.dense = Linear::declare(w("dense"), width, width, c.classifier_dense_bias);
  if (c.classifier_norm) classifier.norm = Norm::declare(w("norm"), width, c.head_norm);
  classifier.activation = c.head_activation;
  classifier.output = Linear::declare(w("output"), width, labels, c.classifier_bias);
  return classifier;
}

Task<> Classifier::forward(ConstMatrix x, Matrix scores, Pass& pass) const {
  Scope scope(pass.workspace);
  ConstMatrix h = x;
  if (pass.tape) {
    Matrix kept = pass.lasting(x.rows, x.cols);
    copy(x, kept);
    pass.drop(kept, &DropoutRates::head);
    h = kept;
  }
  if (dense) {
    Matrix made = pass.lasting(x.rows, x.cols);
    co_await dense->forward(h, made, pass);
    if (pass.tape) pass.tape->push_copy(made);
    activate(activation, made);
    if (norm) norm->forward(made, made, pass);
    pass.drop(made, &DropoutRates::head);
    h = made;
  }
  co_await output.forward(h, scores, pass);
}

void Classifier::backward(ConstMatrix dscores, Matrix dx, Backward& back) const {
  Scope scope(back.workspace);
  Matrix dh = back.zeros(dx.rows, dx.cols);
  output.backward(dscores, dh, back);
  if (dense) {
    back.drop(dh, &DropoutRates::head);
    if (norm) norm->backward(dh, dh, back);
    activate_backward(activation, back.tape.pop(), dh, dh);
    Matrix dread = back.zeros(dx.rows, dx.cols);
    dense->backward(dh, dread, back);
    dh = dread;
  }
  back.drop(dh, &DropoutRates::head);
  add(dx, dh);
}

Heads Heads::declare(const WeightScope& w, const ModelConfig& c) {
  const int width = c.top().output_width();
  Heads heads;
  if (c.pooler) heads.pooler = Linear::declare(w("pooler"), width, width, true);
  switch (c.head) {
    case Head::none: break;
    case Head::masked_lm:
    case Head::causal_lm: heads.lm = LmHead::declare(w("lm"), c); break;
    case Head::pretraining:
      heads.lm = LmHead::declare(w("lm"), c);
      heads.next_sentence = Linear::declare(w("next_sentence"), width, 2, true);
      break;
    case Head::next_sentence: heads.next_sentence = Linear::declare(w("next_sentence"), width, 2, true); break;
    case Head::sequence_classification:
    case Head::token_classification: heads.classifier = Classifier::declare(w("classifier"), c, int(c.labels.size())); break;
    case Head::question_answering: heads.classifier = Classifier::declare(w("classifier"), c, 2); break;
  }
  return heads;
}

Task<> Heads::pool(ConstMatrix first, Matrix pooled, Pass& pass) const {
  co_await pooler->forward(first, pooled, pass);
  if (pass.tape) pass.tape->push_copy(pooled);
  activate(Activation::tanh, pooled);
}

void Heads::pool_backward(Matrix dpooled, Matrix dfirst, Backward& back) const {
  activate_backward(Activation::tanh, back.tape.pop(), dpooled, dpooled);
  pooler->backward(dpooled, dfirst, back);
}

}  // namespace webformer
