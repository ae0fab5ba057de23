#include "model/layers.h"

#include <algorithm>

namespace webformer {

Linear Linear::declare(const WeightScope& w, int in, int out, bool bias, Precision precision) {
  return {.weight = w.matrix("weight", out, in, precision), .bias = bias ? w.vector("bias", out) : nullptr};
}

Task<> Linear::forward(ConstMatrix x, Matrix y, Pass& pass) const {
  if (pass.tape) pass.tape->push(x);
  LinearPlace at;
  while (!linear_part(x, *weight, bias ? bias->data() : nullptr, y, at, pass.workspace)) co_await pass.schedule.breathe();
  co_await pass.schedule.breathe();
  if (adapter) adapter->forward(x, y, pass);
}

void Linear::backward(ConstMatrix dy, Matrix dx, Backward& back) const {
  const ConstMatrix lowered = adapter ? back.tape.pop() : ConstMatrix(), x = back.tape.pop();
  if (adapter) adapter->backward(x, lowered, dy, dx, back);
  if (PackedWeights* gradient = back.gradients.of(*weight)) linear_backward_weights(x, dy, *gradient, back.workspace);
  if (float* gradient = bias ? back.gradients.of(*bias) : nullptr) linear_backward_bias(dy, gradient);
  if (dx.data) linear_backward_input(dy, *weight, dx, back.workspace);
}

Norm Norm::declare(const WeightScope& w, int width, const NormConfig& config) {
  return {.weight = config.weight ? w.vector("weight", width) : nullptr,
          .bias = config.bias ? w.vector("bias", width) : nullptr,
          .config = config};
}

void Norm::forward(ConstMatrix x, Matrix y, Pass& pass) const {
  if (pass.tape) pass.tape->push_copy(x);
  const float* by = weight ? weight->data() : nullptr;
  if (config.kind == NormKind::layer_norm) {
    layer_norm(x, by, bias ? bias->data() : nullptr, config.epsilon, y);
  } else {
    rms_norm(x, by, config.weight_offset, config.epsilon, y);
  }
}

void Norm::backward(ConstMatrix dy, Matrix dx, Backward& back) const {
  const ConstMatrix x = back.tape.pop();
  const float* by = weight ? weight->data() : nullptr;
  float* dweight = weight ? back.gradients.of(*weight) : nullptr;
  if (config.kind == NormKind::layer_norm) {
    layer_norm_backward(x, by, config.epsilon, dy, dx, dweight, bias ? back.gradients.of(*bias) : nullptr);
  } else {
    rms_norm_backward(x, by, config.weight_offset, config.epsilon, dy, dx, dweight);
  }
}

Embedding Embedding::declare(const WeightScope& w, std::int64_t rows, int width, TableUse use) {
  return {.table = w.matrix("weight", rows, width, use == TableUse::tokens ? Precision::fine : Precision::full)};
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

ConstMatrix Residual::enter(ConstMatrix x, Matrix scratch, Pass& pass) const {
  if (pass.tape) scratch = pass.lasting(x.rows, x.cols);  // x itself will change
  if (before) {
    before->forward(x, scratch, pass);
    return scratch;
  }
  if (!pass.tape) return x;
  copy(x, scratch);
  return scratch;
}

void Residual::enter_backward(Matrix dh, Matrix dx, Backward& back) const {
  if (before) before->backward(dh, dh, back);
  add(dx, dh);
}

void Residual::leave(Matrix x, Matrix made, Pass& pass) const {
  if (inside) inside->forward(made, made, pass);
  pass.drop(made, &DropoutRates::residual);
  add(x, made);
  if (after) after->forward(x, x, pass);
}

void Residual::leave_backward(Matrix dx, Matrix dmade, Backward& back) const {
  if (after) after->backward(dx, dx, back);
  copy(dx, dmade);
  back.drop(dmade, &DropoutRates::residual);
  if (inside) inside->backward(dmade, dmade, back);
}

FeedForward FeedForward::declare(const WeightScope& w, const StackConfig& c, Precision precision) {
  FeedForward ffn;
  if (c.gated) ffn.gate = Linear::declare(w("gate"), c.width, c.inner, c.ffn_bias, precision);
  ffn.up = Linear::declare(w("up"), c.width, c.inner, c.ffn_bias, precision);
  ffn.down = Linear::declare(w("down"), c.inner, c.width, c.ffn_bias, precision);
  ffn.activation = c.activation;
  return ffn;
}

Task<> FeedForward::forward(ConstMatrix h, Matrix out, std::string place, Pass& pass) const {
  Scope scope(pass.workspace);
  Matrix inner = pass.lasting(h.rows, up.weight->rows());
  Matrix lifted;
  if (gate) {
    lifted = pass.lasting(inner.rows, inner.cols);
    co_await gate->forward(h, inner, pass);
  }
  co_await up.forward(h, gate ? lifted : inner, pass);
  if (pass.tape) pass.tape->push_copy(inner);
  if (pass.tape && gate) pass.tape->push(lifted);
  const std::int64_t at_once = std::max<std::int64_t>(part_numbers / inner.cols, 1);
  for (std::int64_t first = 0; first < inner.rows; first += at_once) {
    const std::int64_t count = std::min(at_once, inner.rows - first);
    if (gate) activate_gated(activation, inner.rows_from(first, count), lifted.rows_from(first, count));
    else activate(activation, inner.rows_from(first, count));
    co_await pass.schedule.breathe();
  }
  pass.show(place, "activation", inner);
  pass.drop(inner, &DropoutRates::activation);
  co_await down.forward(inner, out, pass);
  pass.show(place, "output", out);
}

void FeedForward::backward(ConstMatrix dout, Matrix dh, Backward& back) const {
  Scope scope(back.workspace);
  Matrix dinner = back.zeros(dout.rows, up.weight->rows());
  down.backward(dout, dinner, back);
  back.drop(dinner, &DropoutRates::activation);
  if (gate) {
    Matrix dlifted = back.workspace.matrix(dinner.rows, dinner.cols);
    const ConstMatrix lifted = back.tape.pop(), gated = back.tape.pop();
    activate_gated_backward(activation, gated, lifted, dinner, dinner, dlifted);
    up.backward(dlifted, dh, back);
    gate->backward(dinner, dh, back);
  } else {
    activate_backward(activation, back.tape.pop(), dinner, dinner);
    up.backward(dinner, dh, back);
  }
}

Layer Layer::declare(const WeightScope& w, const StackConfig& c, int index, int memory_width) {
  const bool is_early = 2 * index < int(c.layer.size());  // the errors of later layers weigh more
  Layer layer{.attention_residual = Residual::declare(w, "attention", c, c.layer[std::size_t(index)].attention_norm),
              .self_attention = Attention::declare(w("self_attention"), c, c.width),
              .cross_residual = {},
              .cross_attention = {},
              .ffn_residual = Residual::declare(w, "ffn", c, c.ffn_norm),
              .ffn = FeedForward::declare(w("ffn"), c, is_early ? Precision::coarse : Precision::fine),
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
  Matrix scratch = pass.workspace.matrix(x.rows, x.cols), made = pass.workspace.matrix(x.rows, x.cols);
  const std::string place = std::string(stack.name) + "." + std::to_string(index);

  ConstMatrix h = attention_residual.enter(x, scratch, pass);
  co_await self_attention.self(h, made, index, stack, pass);
  if (parallel) {
    Matrix from_ffn = pass.workspace.matrix(x.rows, x.cols);
    co_await ffn.forward(ffn_reads_own_norm ? ffn_residual.enter(x, scratch, pass) : h, from_ffn, place + ".ffn", pass);
    add(made, from_ffn);
    attention_residual.leave(x, made, pass);
    co_return;
  }
  attention_residual.leave(x, made, pass);

  if (cross_attention) {
    co_await cross_attention->cross(cross_residual->enter(x, scratch, pass), made, index, stack, pass);
    cross_residual->leave(x, made, pass);
  }

  co_await ffn.forward(ffn_residual.enter(x, scratch, pass), made, place + ".ffn", pass);
  ffn_residual.leave(x, made, pass);
}

Task<> Layer::backward(Matrix dx, int index, const StackPass& stack, const StackGradients& shared, Backward& back) const {
  Scope scope(back.workspace);
  Matrix dmade = back.workspace.matrix(dx.rows, dx.cols);
  if (parallel) {
    attention_residual.leave_backward(dx, dmade, back);
    Matrix dh = back.zeros(dx.rows, dx.cols), from_ffn = ffn_reads_own_norm ? back.zeros(dx.rows, dx.cols) : dh;
    ffn.backward(dmade, from_ffn, back);
    co_await back.schedule.breathe();
    if (ffn_reads_own_norm) ffn_residual.enter_backward(from_ffn, dx, back);
    self_attention.self_backward(dmade, dh, index, stack, shared, back);
    attention_residual.enter_backward(dh, dx, back);
    co_return;
  }
  const auto go_back = [&](const Residual& residual, auto sublayer_backward) {
    Scope one_sublayer(back.workspace);
    Matrix dh = back.zeros(dx.rows, dx.cols);
    residual.leave_backward(dx, dmade, back);
    sublayer_backward(dmade, dh);
    residual.enter_backward(dh, dx, back);
  };
  go_back(ffn_residual, [&](ConstMatrix dout, Matrix dh) { ffn.backward(dout, dh, back); });
  co_await back.schedule.breathe();
  if (cross_attention) {
    go_back(*cross_residual, [&](ConstMatrix dout, Matrix dh) { cross_attention->cross_backward(dout, dh, index, stack, shared, back); });
    co_await back.schedule.breathe();
  }
  go_back(attention_residual, [&](ConstMatrix dout, Matrix dh) { self_attention.self_backward(dout, dh, index, stack, shared, back); });
}

}  // namespace webformer
