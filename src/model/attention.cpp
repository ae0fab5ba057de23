#include <algorithm>
#include <memory>

#include "model/layers.h"

namespace webformer {

namespace {

/// [N, H*D] seen as [N*H, D].
Matrix as_heads(Matrix x, int head_size) { return {x.data, x.rows * (x.cols / head_size), head_size}; }

void rotate(const StackConfig& c, int layer, int heads, Matrix x, const Rows& rows) {
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

AttentionArgs arguments(const StackConfig& c, ConstMatrix query, KeyValues memory, Matrix output) {
  AttentionArgs args;
  args.query = query;
  args.memory = memory;
  args.output = output;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.head_size = c.head_size;
  args.scale = c.attention_scale;
  args.softcap = c.attention_softcap;
  return args;
}

/// The attentions of one layer, one a sequence, for the device of the pass or the kernel.
class Calls {
 public:
  Calls(const std::string& place, int sequences, Pass& pass)
      : place_(place),
        pass_(pass),
        shown_(pass.watched() && pass.observer->wants(place_ + ".weights")),
        args_(pass.workspace.allocate<AttentionArgs>(sequences)),
        sequences_(pass.workspace.allocate<int>(sequences)) {}

  void add(int sequence, AttentionArgs args) {
    if (shown_) args.weights = pass_.workspace.allocate<float>(args.heads * args.query.rows * args.memory.length);
    std::construct_at(args_ + count_, args);
    sequences_[count_++] = sequence;
  }

  /// Is some of it left to the device? The pass must stop then, until the device has done it or not.
  bool offered() { return pass_.device && pass_.device->offer({args_, count_}); }

  /// Runs the kernel for what the device did not do, and shows the weights to those who watch.
  void finish() {
    for (std::size_t i = 0; i < count_; ++i) {
      const AttentionArgs& args = args_[i];
      if (!pass_.device || !pass_.device->did(i)) attention(args, pass_.workspace);
      if (shown_) pass_.observer->see(place_ + ".weights", sequences_[i], {args.heads, args.query.rows, args.memory.length}, args.weights);
    }
  }

 private:
  const std::string& place_;
  Pass& pass_;
  bool shown_;
  AttentionArgs* args_;
  int* sequences_;
  std::size_t count_ = 0;
};

}  // namespace

Attention Attention::declare(const WeightScope& w, const StackConfig& c, int memory_width) {
  const int query_width = c.heads * c.head_size, key_width = c.kv_heads * c.head_size;
  Attention a{.query = Linear::declare(w("query"), c.width, query_width, c.query_bias),
              .key = Linear::declare(w("key"), memory_width, key_width, c.key_bias),
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

  Matrix q = pass.workspace.matrix(h.rows, query.weight->rows());
  Matrix k = pass.workspace.matrix(h.rows, key.weight->rows());
  Matrix v = pass.workspace.matrix(h.rows, value.weight->rows());
  query.forward(h, q, pass);
  key.forward(h, k, pass);
  value.forward(h, v, pass);
  if (query_norm) query_norm->forward(as_heads(q, c.head_size), as_heads(q, c.head_size));
  if (key_norm) key_norm->forward(as_heads(k, c.head_size), as_heads(k, c.head_size));
  rotate(c, layer, c.heads, q, rows);
  rotate(c, layer, c.kv_heads, k, rows);
  pass.show(place, "query", q);
  pass.show(place, "key", k);
  pass.show(place, "value", v);

  Matrix context = pass.workspace.matrix(h.rows, q.cols);
  Calls calls(place, rows.sequences(), pass);
  for (int b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)], count = rows.length(b);
    if (count == 0) continue;
    const std::int64_t key_count = rows.visible.empty() ? count : rows.visible[std::size_t(b)];
    const Matrix keys = k.rows_from(first, key_count), values = v.rows_from(first, key_count);
    KeyValues seen;
    if (stack.kv_cache) {
      const int sequence = stack.sequences[std::size_t(b)];
      stack.kv_cache->write(layer, sequence, keys, values);
      seen = stack.kv_cache->view(layer, sequence, pass.workspace);
    } else {
      seen = one_block(keys, values, pass.workspace);
    }
    AttentionArgs args = arguments(c, q.rows_from(first, count), seen, context.rows_from(first, count));
    args.offset = stack.kv_cache ? seen.length - count : 0;
    args.causal = c.causal;
    args.window = c.layer[std::size_t(layer)].window;
    args.alibi_slopes = stack.alibi_slopes;
    args.relative_bias = stack.relative_bias;
    args.relative_origin = stack.relative_origin;
    args.relative_count = stack.relative_count;
    calls.add(b, args);
  }
  if (calls.offered()) co_await pass.schedule.pause();
  calls.finish();
  pass.show(place, "context", context);
  output.forward(context, out, pass);
  pass.show(place, "output", out);
  co_return;
}

Task<> Attention::cross(ConstMatrix h, Matrix out, int layer, const StackPass& stack, Pass& pass) const {
  const Rows& rows = stack.rows;
  const std::string place = std::string(stack.name) + "." + std::to_string(layer) + ".cross_attention";
  Scope scope(pass.workspace);

  Matrix q = pass.workspace.matrix(h.rows, query.weight->rows());
  query.forward(h, q, pass);
  pass.show(place, "query", q);
  Matrix context = pass.workspace.matrix(h.rows, q.cols);
  Calls calls(place, rows.sequences(), pass);
  for (int b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)], count = rows.length(b);
    if (count == 0) continue;
    const KeyValues seen = stack.memory->view(std::size_t(layer), stack.sources[std::size_t(b)], pass.workspace);
    calls.add(b, arguments(stack.config, q.rows_from(first, count), seen, context.rows_from(first, count)));
  }
  if (calls.offered()) co_await pass.schedule.pause();
  calls.finish();
  pass.show(place, "context", context);
  output.forward(context, out, pass);
  pass.show(place, "output", out);
  co_return;
}

void Attention::remember(ConstMatrix encoded, Matrix keys, Matrix values, Pass& pass) const {
  key.forward(encoded, keys, pass);
  value.forward(encoded, values, pass);
}

}  // namespace webformer
