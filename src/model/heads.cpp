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
    head.transform = Linear::declare(w("transform"), top.width, width, c.lm_head_transform_bias);
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

void LmHead::forward(ConstMatrix hidden, Matrix logits, Pass& pass) const {
  Scope scope(pass.workspace);
  ConstMatrix x = hidden;
  if (transform || scale != 1) {
    Matrix changed = pass.workspace.matrix(hidden.rows, transform ? transform->weight->rows() : hidden.cols);
    if (transform) {
      transform->forward(hidden, changed, pass);
      activate(activation, changed);
      norm->forward(changed, changed);
    } else {
      for (std::int64_t i = 0; i < hidden.rows; ++i) std::copy_n(hidden.row(i), hidden.cols, changed.row(i));
    }
    if (scale != 1) webformer::scale(changed, scale);
    x = changed;
  }
  output.forward(x, logits, pass);
  if (softcap > 0) soft_cap(logits, softcap);
}

Classifier Classifier::declare(const WeightScope& w, const ModelConfig& c, int labels) {
  const int width = c.top().width;
  Classifier classifier;
  if (c.classifier_dense) classifier.dense = Linear::declare(w("dense"), width, width, c.classifier_dense_bias);
  if (c.classifier_norm) classifier.norm = Norm::declare(w("norm"), width, c.head_norm);
  classifier.activation = c.head_activation;
  classifier.output = Linear::declare(w("output"), width, labels, true);
  return classifier;
}

void Classifier::forward(ConstMatrix x, Matrix scores, Pass& pass) const {
  Scope scope(pass.workspace);
  if (dense) {
    Matrix h = pass.workspace.matrix(x.rows, x.cols);
    dense->forward(x, h, pass);
    activate(activation, h);
    if (norm) norm->forward(h, h);
    output.forward(h, scores, pass);
  } else {
    output.forward(x, scores, pass);
  }
}

Heads Heads::declare(const WeightScope& w, const ModelConfig& c) {
  const int width = c.top().width;
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

void Heads::pool(ConstMatrix first, Matrix pooled, Pass& pass) const {
  pooler->forward(first, pooled, pass);
  activate(Activation::tanh, pooled);
}

}  // namespace webformer
