#pragma once

#include "model/model.h"

namespace webformer {

/// All linear layers within the stacks' layers, in the order of the model. M: Model, or const Model.
template <class M, class F>
void each_linear(M& model, F visit) {
  const auto of_attention = [&](auto& attention) {
    for (auto* linear : {&attention.query, &attention.key, &attention.value, &attention.output}) visit(*linear);
  };
  for (auto* stack : {&model.encoder, &model.decoder}) {
    if (!*stack) continue;
    for (auto& layer : (*stack)->layers) {
      of_attention(layer.self_attention);
      if (layer.cross_attention) of_attention(*layer.cross_attention);
      if (layer.ffn.gate) visit(*layer.ffn.gate);
      visit(layer.ffn.up);
      visit(layer.ffn.down);
    }
  }
}

}  // namespace webformer
