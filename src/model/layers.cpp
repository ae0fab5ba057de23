#include "model/layers.h"

namespace webformer {

Linear Linear::declare(const WeightScope& w, int in, int out, bool bias) {
  return {.weight = w.matrix("weight", out, in), .bias = bias ? w.vector("bias", out) : nullptr};
}

void Linear::forward(ConstMatrix x, Matrix y, Pass& pass) const { linear(x, *weight, bias ? bias->data() : nullptr, y, pass.workspace); }

Norm Norm::declare(const WeightScope& w, int width, const NormConfig& config) {
  return {.weight = w.vector("weight", width), .bias = config.bias ? w.vector("bias", width) : nullptr, .config = config};
}

void Norm::forward(ConstMatrix x, Matrix y) const noexcept {
  if (config.kind == NormKind::layer_norm) {
    layer_norm(x, weight->data(), bias ? bias->data() : nullptr, config.epsilon, y);
  } else {
    rms_norm(x, weight->data(), config.weight_offset, config.epsilon, y);
  }
}

Embedding Embedding::declare(const WeightScope& w, std::int64_t rows, int width, TableUse use) {
  return {.table = w.matrix("weight", rows, width, use == TableUse::tokens)};
}

Residual Residual::declare(const WeightScope& layer, std::string_view name, const StackConfig& c, bool has_norm) {
  const std::string norm = std::string(name) + "_norm";
  const auto place = c.norm_place;
  Residual residual;
  if (!has_norm) return residual;
  if (place == NormPlace::pre || place == NormPlace::both || place == NormPlace::parallel)
    residual.before = Norm::declare(layer(norm), c.width, c.norm);
  if (place == NormPlace::both) residual.inside = Norm::declare(layer(std::string(name) + "_output_norm"), c.width, c.norm);
  if (place == NormPlace::output) residual.inside = Norm::declare(layer(norm), c.width, c.norm);
  if (place == NormPlace::post) residual.after = Norm::declare(layer(norm), c.width, c.norm);
  return residual;
}

ConstMatrix Residual::enter(ConstMatrix x, Matrix copy) const noexcept {
  if (!before) return x;
  before->forward(x, copy);
  return copy;
}

void Residual::leave(Matrix x, Matrix made) const noexcept {
  if (inside) inside->forward(made, made);
  add(x, made);
  if (after) after->forward(x, x);
}

FeedForward FeedForward::declare(const WeightScope& w, const StackConfig& c) {
  FeedForward ffn;
  if (c.gated) ffn.gate = Linear::declare(w("gate"), c.width, c.inner, c.ffn_bias);
  ffn.up = Linear::declare(w("up"), c.width, c.inner, c.ffn_bias);
  ffn.down = Linear::declare(w("down"), c.inner, c.width, c.ffn_bias);
  ffn.activation = c.activation;
  return ffn;
}

void FeedForward::forward(ConstMatrix h, Matrix out, std::string_view place, Pass& pass) const {
  Scope scope(pass.workspace);
  Matrix inner = pass.workspace.matrix(h.rows, up.weight->rows());
  if (gate) {
    Matrix lifted = pass.workspace.matrix(inner.rows, inner.cols);
    gate->forward(h, inner, pass);
    up.forward(h, lifted, pass);
    activate_gated(activation, inner, lifted);
  } else {
    up.forward(h, inner, pass);
    activate(activation, inner);
  }
  pass.show(place, "activation", inner);
  down.forward(inner, out, pass);
  pass.show(place, "output", out);
}

Layer Layer::declare(const WeightScope& w, const StackConfig& c, int index, int memory_width) {
  Layer layer{.attention_residual = Residual::declare(w, "attention", c, c.layer[std::size_t(index)].attention_norm),
              .self_attention = Attention::declare(w("self_attention"), c, c.width),
              .cross_residual = {},
              .cross_attention = {},
              .ffn_residual = Residual::declare(w, "ffn", c, c.ffn_norm),
              .ffn = FeedForward::declare(w("ffn"), c),
              .parallel = c.norm_place == NormPlace::parallel,
              .ffn_reads_own_norm = c.ffn_norm};
  if (c.cross_attention) {
    layer.cross_residual = Residual::declare(w, "cross_attention", c);
    layer.cross_attention = Attention::declare(w("cross_attention"), c, memory_width);
  }
  return layer;
}

Task<> Layer::forward(Matrix x, int index, const StackPass& stack, Pass& pass) const {
  Scope scope(pass.workspace);
  Matrix copy = pass.workspace.matrix(x.rows, x.cols), made = pass.workspace.matrix(x.rows, x.cols);
  const std::string place = std::string(stack.name) + "." + std::to_string(index);

  ConstMatrix h = attention_residual.enter(x, copy);
  co_await self_attention.self(h, made, index, stack, pass);
  if (parallel) {
    Matrix from_ffn = pass.workspace.matrix(x.rows, x.cols);
    ffn.forward(ffn_reads_own_norm ? ffn_residual.enter(x, copy) : h, from_ffn, place + ".ffn", pass);
    add(made, from_ffn);
    attention_residual.leave(x, made);
    co_return;
  }
  attention_residual.leave(x, made);

  if (cross_attention) {
    co_await cross_attention->cross(cross_residual->enter(x, copy), made, index, stack, pass);
    cross_residual->leave(x, made);
  }

  ffn.forward(ffn_residual.enter(x, copy), made, place + ".ffn", pass);
  ffn_residual.leave(x, made);
}

}  // namespace webformer
