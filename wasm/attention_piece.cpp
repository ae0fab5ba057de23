#include "wasm/attention_piece.h"

#include <algorithm>

#include "formats/json.h"
#include "kernels/attention.h"
#include "wasm/guard.h"
#include "wasm/memory_limit.h"
#include "wasm/staged_floats.h"
#include "wasm/values.h"

using emscripten::val;

namespace webformer {

val attend(std::string options) {
  return guarded([&] {
    const JsonDocument document = JsonDocument::parse(options, "attention");
    const Json json = document.root();
    const std::int64_t queries = json["queries"].get_integer(), keys = json["keys"].get_integer(), size = json["size"].get_integer();
    Array output = checked_array({queries, size}), weights = checked_array({queries, keys});
    StagedFloats staged;
    AttentionArgs args;
    args.query = ConstMatrix(staged.take(queries * size), queries, size);
    const float* key_block = staged.take(keys * size);
    const float* value_block = staged.take(keys * size);
    args.memory = {&key_block, &value_block, keys, std::max<std::int64_t>(keys, 1), size};
    if (json["bias"].get_bool()) args.bias = staged.take(queries * keys);
    std::vector<std::uint8_t> mask;
    if (json["mask"].get_bool()) {
      const float* seen = staged.take(queries * keys);
      for (std::int64_t i = 0; i < queries * keys; ++i) mask.push_back(seen[i] != 0);
      args.mask = mask.data();
    }
    args.output = output.matrix();
    args.weights = weights.data.data();
    args.head_size = int(size);
    args.scale = float(json["scale"].get_number());
    args.softcap = float(json["softcap"].get_number());
    args.offset = keys - queries;
    args.causal = json["causal"].get_bool();
    args.window = json["window"].get_integer();
    Workspace workspace;
    attention(args, workspace);
    Staging::shrink();
    val result = val::array();
    result.call<void>("push", to_js(output));
    result.call<void>("push", to_js(weights));
    return result;
  });
}

}  // namespace webformer
