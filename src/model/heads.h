#pragma once
// What stands on the last hidden state: vocabulary logits, labels, spans, a pooled vector.

#include <optional>

#include "model/layers.h"

namespace webformer {

/// Logits over the vocabulary: output(norm(activation(transform(x)))), the parts that the model has.
struct LmHead {
  std::optional<Linear> transform;
  std::optional<Norm> norm;
  Activation activation = Activation::gelu;
  Linear output;  ///< its weight is the embedding's table where the two are tied
  float scale = 1;
  float softcap = 0;

  static LmHead declare(const WeightScope& w, const ModelConfig& c);
  /// Once all weights are read: shares the embedding's table where the file has no other.
  void settle_tie(const WeightPlan& plan, const Embedding& tokens);
  /// hidden: [N, C], logits: [N, V].
  Task<> forward(ConstMatrix hidden, Matrix logits, Pass& pass) const;
  /// dlogits is changed; adds to dhidden.
  void backward(Matrix dlogits, Matrix dhidden, Backward& back) const;
};

/// A vector a text, or a vector a token, to scores of labels.
struct Classifier {
  std::optional<Linear> dense;
  std::optional<Norm> norm;
  Activation activation = Activation::tanh;
  Linear output;

  static Classifier declare(const WeightScope& w, const ModelConfig& c, int labels);
  /// x: [N, C], scores: [N, labels].
  Task<> forward(ConstMatrix x, Matrix scores, Pass& pass) const;
  /// Adds to dx.
  void backward(ConstMatrix dscores, Matrix dx, Backward& back) const;
};

struct Heads {
  std::optional<Linear> pooler;  ///< tanh of a dense layer over the first token
  std::optional<LmHead> lm;
  std::optional<Linear> next_sentence;   ///< [2] from the pooled vector, or the first token where there is no pooler
  std::optional<Classifier> classifier;  ///< labels; start and end for question answering

  static Heads declare(const WeightScope& w, const ModelConfig& c);
  /// first: [B, C], the first token of each sequence. pooled: [B, C].
  Task<> pool(ConstMatrix first, Matrix pooled, Pass& pass) const;
  /// dpooled is changed; adds to dfirst.
  void pool_backward(Matrix dpooled, Matrix dfirst, Backward& back) const;
};

}  // namespace webformer
