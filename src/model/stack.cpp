#include "model/stack.h"

#include <algorithm>
#include <cmath>

namespace webformer {

std::vector<float> alibi_slopes(int heads, float max_bias) {
  const int power = 1 << int(std::floor(std::log2(double(heads))));
  std::vector<float> slopes;
  for (int i = 1; i <= power; ++i) slopes.push_back(float(std::exp2(-double(max_bias) * i / power)));
  for (int i = 1; int(slopes.size()) < heads; i += 2) slopes.push_back(float(std::exp2(-double(max_bias) * i / (2.0 * power))));
  return slopes;
}

int relative_bucket(std::int64_t distance, bool bidirectional, int buckets, int max_distance) noexcept {
  int first = 0;
  if (bidirectional) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max<std::int64_t>(-distance, 0);
  }
  const int exact = buckets / 2;
  if (distance < exact) return first + int(distance);
  // In float, as the reference computes it: double puts distances at a bucket's edge into the next one.
  const float fraction = std::log(float(distance) / float(exact)) / float(std::log(double(max_distance) / exact));
  return first + std::min(exact + int(fraction * float(buckets - exact)), buckets - 1);
}

Stack Stack::declare(const WeightScope& w, std::string name, const StackConfig& c, int vocab_size, std::int64_t context_length,
                     std::int32_t pad_token_id, const Embedding* shared_tokens, int memory_width) {
  const WeightScope scope = w(name);
  Stack stack;
  stack.config = c;
  stack.embeddings = Embeddings::declare(scope("embed"), c, vocab_size, context_length, pad_token_id, shared_tokens);
  for (int i = 0; i < c.distinct_layers; ++i) stack.layers.push_back(Layer::declare(scope(std::to_string(i)), c, i, memory_width));
  if (c.final_norm) stack.final_norm = Norm::declare(scope("norm"), c.width, c.norm);
  if (c.output_projection) stack.output_projection = Linear::declare(scope("output_projection"), c.width, c.embedding_width, false);
  if (c.positions == Positions::relative)
    stack.relative_bias = Embedding::declare(scope("relative_bias"), c.relative_buckets, c.heads, TableUse::positions);
  stack.name = std::move(name);
  return stack;
}

namespace {

/// Fills in a bias for every distance that a pass can meet: [H, count], distance 0 at `relative_origin`.
void spread_relative_bias(const Embedding& table, StackPass& run, Workspace& workspace) {
  const StackConfig& c = run.config;
  std::int64_t longest = 1;
  for (int b = 0; b < run.rows.sequences(); ++b) {
    longest = std::max(longest, run.kv_cache ? run.kv_cache->length(run.sequences[std::size_t(b)]) : run.rows.length(b));
  }
  run.relative_origin = longest - 1;
  run.relative_count = 2 * longest - 1;
  auto* bias = workspace.allocate<float>(c.heads * run.relative_count);
  auto* row = workspace.allocate<float>(c.heads);
  for (std::int64_t i = 0; i < run.relative_count; ++i) {
    table.table->row(relative_bucket(i - run.relative_origin, !c.causal, c.relative_buckets, c.relative_max_distance), row);
    for (int h = 0; h < c.heads; ++h) bias[h * run.relative_count + i] = row[h];
  }
  run.relative_bias = bias;
}

/// The gradient of the table from that of its spread biases.
void gather_relative_bias(const Embedding& table, const StackPass& run, const float* spread, Backward& back) {
  PackedWeights* gradient = back.gradients.of(*table.table);
  if (!gradient) return;
  const StackConfig& c = run.config;
  auto* row = back.workspace.allocate<float>(c.heads);
  for (std::int64_t i = 0; i < run.relative_count; ++i) {
    for (int h = 0; h < c.heads; ++h) row[h] = spread[h * run.relative_count + i];
    gradient->add_to_row(relative_bucket(i - run.relative_origin, !c.causal, c.relative_buckets, c.relative_max_distance), row);
  }
}

}  // namespace

void Stack::prepare_biases(StackPass& run, Workspace& workspace) const {
  if (config.positions == Positions::alibi) {
    float* slopes = workspace.allocate<float>(config.heads);
    std::ranges::copy(alibi_slopes(config.heads, config.alibi_max_bias), slopes);
    run.alibi_slopes = slopes;
  }
  if (relative_bias) spread_relative_bias(*relative_bias, run, workspace);
}

Task<> Stack::forward(const Tokens& input, StackPass run, Matrix x, Pass& pass) const {
  Scope scope(pass.workspace);
  const std::string hidden = name + ".hidden";
  prepare_biases(run, pass.workspace);
  const Matrix states = output_projection ? pass.lasting(x.rows, config.width) : x;
  co_await embeddings.forward(input, config, states, pass);
  std::size_t of_layer = 0;
  for (int i = 0; i < config.layers; ++i) {
    pass.show(hidden, std::to_string(i), states);
    if (pass.tape && i > 0 && of_layer * std::size_t(config.layers) > pass.tape->most) {
      const Tape::Place before = pass.tape->place(states);
      co_await layer(i).forward(states, i, run, pass);
      pass.tape->forget_layer(before);
      continue;
    }
    const std::size_t used = pass.tape ? pass.tape->used() : 0;
    co_await layer(i).forward(states, i, run, pass);
    if (pass.tape && i == 0) of_layer = pass.tape->used() - used;
  }
  if (final_norm) final_norm->forward(states, states, pass);
  if (output_projection) co_await output_projection->forward(states, x, pass);
  pass.show(hidden, std::to_string(config.layers), x);
}

Task<> Stack::backward_again(int depth, const StackPass& run, Matrix dx, StackGradients shared, Backward& back) const {
  const Tape::Place before = back.tape.recall();
  const Matrix states = back.tape.matrix(dx.rows, dx.cols);
  copy(before.input, states);
  Pass pass{.workspace = back.workspace, .schedule = back.schedule, .tape = &back.tape};
  co_await layer(depth).forward(states, depth, run, pass);
  co_await layer(depth).backward(dx, depth, run, shared, back);
  back.tape.forget(before);
}

Task<> Stack::backward(const Tokens& input, StackPass run, Matrix dx, StackGradients shared, Backward& back) const {
  Scope scope(back.workspace);
  prepare_biases(run, back.workspace);
  if (relative_bias) shared.relative_bias = back.zeros(config.heads, run.relative_count).data;
  if (output_projection) {
    Matrix dstates = back.zeros(dx.rows, config.width);
    output_projection->backward(dx, dstates, back);
    dx = dstates;
  }
  if (final_norm) final_norm->backward(dx, dx, back);
  for (int i = config.layers - 1; i >= 0; --i) {
    if (back.tape.forgot_layer()) co_await backward_again(i, run, dx, shared, back);
    else co_await layer(i).backward(dx, i, run, shared, back);
    co_await back.schedule.breathe();
  }
  embeddings.backward(input, config, dx, back);
  if (relative_bias) gather_relative_bias(*relative_bias, run, shared.relative_bias, back);
}

}  // namespace webformer
