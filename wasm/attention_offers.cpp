#include "wasm/attention_offers.h"

#include <algorithm>

using emscripten::val;

namespace webformer {

namespace {

double address(const void* pointer) { return double(reinterpret_cast<std::uintptr_t>(pointer)); }

val addresses(const float* const* blocks, std::int64_t count) {
  val list = val::array();
  for (std::int64_t i = 0; i < count; ++i) list.call<void>("push", address(blocks[i]));
  return list;
}

}  // namespace

val to_js(const AttentionArgs& args) {
  const KeyValues& memory = args.memory;
  const std::int64_t blocks = (memory.length + memory.block - 1) / memory.block;
  val js = val::object();
  js.set("query", address(args.query.data));
  js.set("queryRows", double(args.query.rows));
  js.set("queryStride", double(args.query.stride));
  js.set("keys", addresses(memory.keys, blocks));
  js.set("values", addresses(memory.values, blocks));
  js.set("length", double(memory.length));
  js.set("block", double(memory.block));
  js.set("stride", double(memory.stride));
  js.set("output", address(args.output.data));
  js.set("weights", address(args.weights));
  js.set("heads", args.heads);
  js.set("kvHeads", args.kv_heads);
  js.set("headSize", args.head_size);
  js.set("scale", args.scale);
  js.set("softcap", args.softcap);
  js.set("offset", double(args.offset));
  js.set("causal", args.causal);
  js.set("window", double(args.window));
  js.set("mask", address(args.mask));
  js.set("alibiSlopes", address(args.alibi_slopes));
  js.set("relativeBias", address(args.relative_bias));
  js.set("relativeOrigin", double(args.relative_origin));
  js.set("relativeCount", double(args.relative_count));
  js.set("bias", address(args.bias));
  js.set("biasHeads", args.bias_heads);
  return js;
}

}  // namespace webformer
