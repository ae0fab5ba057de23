#pragma once
// A small model of the goldens: forward, gradients of its loss, greedy decoding.

#ifdef WEBFORMER_SHARED_DIR

#include <memory>

#include "kernels/kernels.h"
#include "model/backward.h"
#include "model/forward.h"
#include "model/loader.h"
#include "model/loss.h"
#include "model/session.h"
#include "modules/module.h"

namespace webformer::modules {

class ModelRun {
 public:
  /// A model of that config.json with the case's weights.
  ModelRun(const Case& c, const std::string& config)
      : document_(JsonDocument::parse(config, "config.json")), loader_(document_.root(), WeightPolicy::f32) {
    c.fill(loader_);
    model_ = loader_.finish();
    CHECK(model_->unused_weights == std::vector<std::string>{});
    learn_all(loader_.plan(), gradients);
  }

  std::shared_ptr<const Model> model() const { return model_; }
  const WeightPlan& plan() const { return loader_.plan(); }

  ModelOutput forward(const ForwardInputs& inputs, const ForwardOptions& options = {}) {
    return Job<ModelOutput>(schedule_, webformer::forward(*model_, inputs, options, workspace_, schedule_)).finish();
  }
  /// The loss; adds to `gradients`.
  float backward(const ForwardInputs& inputs, float label_smoothing = 0) {
    return Job<float>(schedule_, forward_backward(*model_, inputs, {tape_, gradients, label_smoothing}, workspace_, schedule_)).finish();
  }

  struct Greedy {
    std::vector<std::int32_t> ids;  ///< what was given, and what followed
    std::vector<float> logits;      ///< [steps, V]: those that chose each new id
  };
  /// The likeliest id, `steps` times or until `end` was chosen. `source` is for an encoder-decoder.
  Greedy greedy(const std::vector<std::int32_t>& source, std::vector<std::int32_t> start, int steps, std::int32_t end = -1) {
    Session session(model_);
    if (model_->encoder) Job<>(schedule_, session.encode({source}, schedule_)).finish();
    const int sequence = session.add_sequence();
    Greedy result{std::move(start), {}};
    std::size_t read = 0;
    while (steps-- > 0) {
      const Matrix logits = step(session, sequence, std::span(result.ids).subspan(read));
      read = result.ids.size();
      result.logits.insert(result.logits.end(), logits.data, logits.data + logits.cols);
      result.ids.push_back(std::int32_t(argmax({logits.data, std::size_t(logits.cols)})));
      if (result.ids.back() == end) break;
    }
    return result;
  }
  /// The logits of the last of `ids`, of which the first `chunk` are read at once, and then the others.
  std::vector<float> chunked(std::span<const std::int32_t> ids, std::size_t chunk) {
    Session session(model_);
    const int sequence = session.add_sequence();
    Matrix logits = step(session, sequence, ids.first(std::min(chunk, ids.size())));
    if (ids.size() > chunk) logits = step(session, sequence, ids.subspan(chunk));
    return {logits.data, logits.data + logits.cols};
  }

  Gradients gradients;

 private:
  Matrix step(Session& session, int sequence, std::span<const std::int32_t> ids) {
    return Job<Matrix>(schedule_, session.step({{sequence, ids}}, schedule_)).finish();
  }

  JsonDocument document_;
  ModelLoader loader_;
  std::shared_ptr<const Model> model_;
  Workspace workspace_;
  Schedule schedule_;
  Tape tape_;
};

/// Ids of [B,T].
inline IdMatrix id_matrix(const Case& c, const std::string& name) { return {c.shape(name)[0], c.shape(name)[1], c.ids(name)}; }
/// 1 where an id is not `pad`.
inline IdMatrix not_padding(IdMatrix ids, std::int32_t pad) {
  for (std::int32_t& id : ids.data) id = id != pad;
  return ids;
}
/// Labels that are `pad` are ignored.
inline IdMatrix ignore(IdMatrix ids, std::int32_t pad) {
  for (std::int32_t& id : ids.data) id = id == pad ? ignored_label : id;
  return ids;
}
/// Columns [first, first + count).
inline IdMatrix columns(const IdMatrix& ids, std::int64_t first, std::int64_t count) {
  IdMatrix part{ids.rows, count, {}};
  for (std::int64_t b = 0; b < ids.rows; ++b)
    for (std::int64_t t = first; t < first + count; ++t) part.data.push_back(ids.at(b, t));
  return part;
}

}  // namespace webformer::modules

#endif
