#include <algorithm>
#include <memory>

#include "model/layers.h"

namespace webformer {

namespace {

/// [N, H*D] seen as [N*H, D].
Matrix as_heads(Matrix x, int head_size) { return {x.data, x.rows * (x.cols / head_size), head_size}; }

/// Turns queries or keys by their positions, or their gradients back.
template <class Rope>
void rotate(Rope rope, const StackConfig& c, int layer, int heads, Matrix x, const Rows& rows) {
  const int index = c.layer[std::size_t(layer)].rope;
  if (index < 0) return;
  const RopeConfig& r = c.ropes[std::size_t(index)];
  rope(x, heads, c.head_size, r.rotated, r.layout, rows.positions.data(), r.frequencies.data(), r.magnitude);
}

/// `count` rows of two matrices as one block.
KeyValues one_block(ConstMatrix keys, ConstMatrix values, Workspace& workspace) {
  auto** blocks = workspace.allocate<const float*>(2);
  blocks[0] = keys.data;
  blocks[1] = values.data;
  return {blocks, blocks + 1, keys.rows, std::max<std::int64_t>(keys.rows, 1), keys.stride};
}

/// The matrices of one pass over a layer's attention.
struct Run {
  ConstMatrix query;
  Matrix context;          // [N, H*D]
  Matrix statistics = {};  // [2, H*N], kept for backward: see AttentionArgs::largest and sums
  float dropout = 0;
  std::uint64_t seed = 0;
};

/// Of sequence b, which has rows in `run` and looks at `seen`.
AttentionArgs arguments(const Run& run, const StackPass& stack, int b, KeyValues seen, const std::uint8_t* mask) {
  const StackConfig& c = stack.config;
  const std::int64_t first = stack.rows.begin[std::size_t(b)], count = stack.rows.length(b);
  AttentionArgs args;
  args.query = run.query.rows_from(first, count);
  args.memory = seen;
  args.output = run.context.rows_from(first, count);
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.head_size = c.head_size;
  args.scale = c.attention_scale;
  args.softcap = c.attention_softcap;
  if (mask) args.mask = mask + first * seen.length;
  args.dropout = run.dropout;
  args.dropout_seed = run.seed + std::uint64_t(b);
  if (run.statistics.data) {
    args.largest = run.statistics.row(0) + first * c.heads;
    args.sums = run.statistics.row(1) + first * c.heads;
  }
  return args;
}

/// The same where the sequence looks at itself.
AttentionArgs self_arguments(const Run& run, const StackPass& stack, int layer, int b, KeyValues seen) {
  AttentionArgs args = arguments(run, stack, b, seen, stack.mask);
  args.offset = stack.kv_cache ? seen.length - args.query.rows : 0;
  args.causal = stack.config.causal;
  args.scale *= stack.config.layer[std::size_t(layer)].attention_scale;
  args.window = stack.config.layer[std::size_t(layer)].window;
  args.alibi_slopes = stack.alibi_slopes;
  args.relative_bias = stack.relative_bias;
  args.relative_origin = stack.relative_origin;
  args.relative_count = stack.relative_count;
  return args;
}

/// What a training pass adds to a run; push() keeps it for backward.
void start_training(Run& run, const StackConfig& c, Tape& tape) {
  run.statistics = tape.matrix(2, c.heads * run.query.rows);
  run.dropout = tape.rates.attention;
  if (run.dropout > 0) run.seed = tape.push_seed();
}

void push(const Run& run, Tape& tape) {
  tape.push(run.query);
  tape.push(run.context);
  tape.push(run.statistics);
}

Run pop(Tape& tape) {
  const auto writable = [](ConstMatrix x) { return Matrix(const_cast<float*>(x.data), x.rows, x.cols, x.stride); };
  Run run;
  run.statistics = writable(tape.pop());
  run.context = writable(tape.pop());
  run.query = tape.pop();
  run.dropout = tape.rates.attention;
  if (run.dropout > 0) run.seed = tape.pop_seed();
  return run;
}

/// The attentions of one layer, one a sequence, for the device of the pass or the kernel.
class Calls {
 public:
  Calls(const std::string& place, int sequences, Pass& pass)
      : place_(place),
        pass_(pass),
        scored_(pass.watched() && pass.observer->wants(place_ + ".scores")),
        shown_(pass.watched() && pass.observer->wants(place_ + ".weights")),
        args_(pass.workspace.allocate<AttentionArgs>(sequences)),
        sequences_(pass.workspace.allocate<int>(sequences)) {}

  void add(int sequence, AttentionArgs args) {
    const std::int64_t count = args.heads * args.query.rows * args.memory.length;
    if (shown_ || scored_) args.weights = pass_.workspace.allocate<float>(count);
    if (scored_) args.scores = pass_.workspace.allocate<float>(count);
    std::construct_at(args_ + count_, args);
    sequences_[count_++] = sequence;
  }

  /// Is some of it left to the device, which knows no scores? The pass must stop then, until the device has done it or not.
  bool offered() { return pass_.device && !pass_.tape && !scored_ && pass_.device->offer({args_, count_}); }

  /// Runs the kernel for a part of what the device did not do, and shows the weights to those who watch. Returns true once all is done.
  bool work() {
    std::int64_t left = part_operations;
    while (done_ < count_ && left > 0) {
      const AttentionArgs& args = args_[done_];
      if (!pass_.device || scored_ || !pass_.device->did(done_)) {
        if (!attention_part(args, at_, pass_.workspace)) return false;
        left -= attention_operations(args.query.rows, args.memory.length, args.query.cols);
      }
      const Shape shape{args.heads, args.query.rows, args.memory.length};
      if (scored_) pass_.observer->see(place_ + ".scores", sequences_[done_], shape, args.scores);
      if (shown_) pass_.observer->see(place_ + ".weights", sequences_[done_], shape, args.weights);
      ++done_;
      at_ = {};
    }
    return done_ == count_;
  }

 private:
  const std::string& place_;
  Pass& pass_;
  bool scored_, shown_;
  AttentionArgs* args_;
  int* sequences_;
  std::size_t count_ = 0, done_ = 0;
  AttentionPlace at_;
};

}  // namespace

Attention Attention::declare(const WeightScope& w, const StackConfig& c, int memory_width) {
  const int query_width = c.heads * c.head_size, key_width = c.kv_heads * c.head_size;
  Attention a{.query = Linear::declare(w("query"), c.width, query_width, c.query_bias, Precision::coarse),
              .key = Linear::declare(w("key"), memory_width, key_width, c.key_bias, Precision::coarse),
              .value = Linear::declare(w("value"), memory_width, key_width, c.query_bias),
              .output = Linear::declare(w("output"), query_width, c.width, c.output_bias),
              .query_norm = {},
              .key_norm = {}};
  if (c.query_key_norm) {
    a.query_norm = Norm::declare(w("query_norm"), c.head_size, c.norm);
    a.key_norm = Norm::declare(w("key_norm"), c.head_size, c.norm);
  }
  return a;
}

Task<> Attention::self(ConstMatrix h, Matrix out, int layer, const StackPass& stack, Pass& pass) const {
  const StackConfig& c = stack.config;
  const Rows& rows = stack.rows;
  const std::string place = std::string(stack.name) + "." + std::to_string(layer) + ".self_attention";
  Scope scope(pass.workspace);

  Matrix q = pass.lasting(h.rows, query.weight->rows());
  Matrix k = pass.lasting(h.rows, key.weight->rows());
  Matrix v = pass.lasting(h.rows, value.weight->rows());
  co_await query.forward(h, q, pass);
  co_await key.forward(h, k, pass);
  co_await value.forward(h, v, pass);
  if (query_norm) query_norm->forward(as_heads(q, c.head_size), as_heads(q, c.head_size), pass);
  if (key_norm) key_norm->forward(as_heads(k, c.head_size), as_heads(k, c.head_size), pass);
  rotate(rope, c, layer, c.heads, q, rows);
  rotate(rope, c, layer, c.kv_heads, k, rows);
  pass.show(place, "query", q);
  pass.show(place, "key", k);
  pass.show(place, "value", v);

  Run run{.query = q, .context = pass.lasting(h.rows, q.cols)};
  if (pass.tape) start_training(run, c, *pass.tape);
  Calls calls(place, rows.sequences(), pass);
  for (int b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)];
    if (rows.length(b) == 0) continue;
    const Matrix keys = k.rows_from(first, rows.keys(b)), values = v.rows_from(first, keys.rows);
    KeyValues seen;
    if (stack.kv_cache) {
      const int sequence = stack.sequences[std::size_t(b)];
      stack.kv_cache->write(layer, sequence, keys, values);
      seen = stack.kv_cache->view(layer, sequence, pass.workspace);
    } else {
      seen = one_block(keys, values, pass.workspace);
    }
    calls.add(b, self_arguments(run, stack, layer, b, seen));
  }
  if (calls.offered()) co_await pass.schedule.pause();
  while (!calls.work()) co_await pass.schedule.breathe();
  if (pass.tape) {
    pass.tape->push(k);
    pass.tape->push(v);
    push(run, *pass.tape);
  }
  pass.show(place, "context", run.context);
  co_await output.forward(run.context, out, pass);
  pass.show(place, "output", out);
}

void Attention::self_backward(ConstMatrix dout, Matrix dh, int layer, const StackPass& stack, const StackGradients& shared,
                              Backward& back) const {
  const StackConfig& c = stack.config;
  const Rows& rows = stack.rows;
  Scope scope(back.workspace);
  Matrix dcontext = back.zeros(dout.rows, output.weight->cols());
  output.backward(dout, dcontext, back);

  const Run run = pop(back.tape);
  const ConstMatrix v = back.tape.pop(), k = back.tape.pop();
  Matrix dq = back.zeros(run.query.rows, run.query.cols), dk = back.zeros(k.rows, k.cols), dv = back.zeros(v.rows, v.cols);
  for (int b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)], count = rows.length(b), keys = rows.keys(b);
    if (count == 0) continue;
    Scope one_sequence(back.workspace);
    const KeyValues seen = one_block(k.rows_from(first, keys), v.rows_from(first, keys), back.workspace);
    const AttentionGradients gradients{.output = dcontext.rows_from(first, count),
                                       .query = dq.rows_from(first, count),
                                       .keys = dk.rows_from(first, keys),
                                       .values = dv.rows_from(first, keys),
                                       .relative_bias = shared.relative_bias};
    attention_backward(self_arguments(run, stack, layer, b, seen), gradients, back.workspace);
  }
  rotate(rope_backward, c, layer, c.kv_heads, dk, rows);
  rotate(rope_backward, c, layer, c.heads, dq, rows);
  if (key_norm) key_norm->backward(as_heads(dk, c.head_size), as_heads(dk, c.head_size), back);
  if (query_norm) query_norm->backward(as_heads(dq, c.head_size), as_heads(dq, c.head_size), back);
  value.backward(dv, dh, back);
  key.backward(dk, dh, back);
  query.backward(dq, dh, back);
}

Task<> Attention::cross(ConstMatrix h, Matrix out, int layer, const StackPass& stack, Pass& pass) const {
  const Rows& rows = stack.rows;
  const std::string place = std::string(stack.name) + "." + std::to_string(layer) + ".cross_attention";
  Scope scope(pass.workspace);

  Matrix q = pass.lasting(h.rows, query.weight->rows());
  co_await query.forward(h, q, pass);
  pass.show(place, "query", q);
  pass.show(place, "key", stack.memory->keys[std::size_t(layer)].matrix());
  pass.show(place, "value", stack.memory->values[std::size_t(layer)].matrix());
  Run run{.query = q, .context = pass.lasting(h.rows, q.cols)};
  if (pass.tape) start_training(run, stack.config, *pass.tape);
  Calls calls(place, rows.sequences(), pass);
  for (int b = 0; b < rows.sequences(); ++b) {
    if (rows.length(b) == 0) continue;
    const KeyValues seen = stack.memory->view(std::size_t(layer), stack.sources[std::size_t(b)], pass.workspace);
    calls.add(b, arguments(run, stack, b, seen, stack.memory_mask));
  }
  if (calls.offered()) co_await pass.schedule.pause();
  while (!calls.work()) co_await pass.schedule.breathe();
  if (pass.tape) push(run, *pass.tape);
  pass.show(place, "context", run.context);
  co_await output.forward(run.context, out, pass);
  pass.show(place, "output", out);
}

void Attention::cross_backward(ConstMatrix dout, Matrix dh, int layer, const StackPass& stack, const StackGradients& shared,
                               Backward& back) const {
  const Rows& rows = stack.rows;
  Scope scope(back.workspace);
  Matrix dcontext = back.zeros(dout.rows, output.weight->cols());
  output.backward(dout, dcontext, back);

  const Run run = pop(back.tape);
  Matrix dq = back.zeros(run.query.rows, run.query.cols);
  for (int b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)], count = rows.length(b);
    if (count == 0) continue;
    Scope one_sequence(back.workspace);
    const int source = stack.sources[std::size_t(b)];
    const KeyValues seen = stack.memory->view(std::size_t(layer), source, back.workspace);
    const std::int64_t begin = stack.memory->begin[std::size_t(source)];
    const AttentionGradients gradients{.output = dcontext.rows_from(first, count),
                                       .query = dq.rows_from(first, count),
                                       .keys = shared.memory->keys[std::size_t(layer)].matrix().rows_from(begin, seen.length),
                                       .values = shared.memory->values[std::size_t(layer)].matrix().rows_from(begin, seen.length)};
    attention_backward(arguments(run, stack, b, seen, stack.memory_mask), gradients, back.workspace);
  }
  query.backward(dq, dh, back);
}

Task<> Attention::remember(ConstMatrix encoded, Matrix keys, Matrix values, Pass& pass) const {
  co_await key.forward(encoded, keys, pass);
  co_await value.forward(encoded, values, pass);
}

void Attention::remember_backward(ConstMatrix dkeys, ConstMatrix dvalues, Matrix dencoded, Backward& back) const {
  value.backward(dvalues, dencoded, back);
  key.backward(dkeys, dencoded, back);
}

}  // namespace webformer
