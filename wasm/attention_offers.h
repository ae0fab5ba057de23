#pragma once
// Attentions on their way to the GPU: JavaScript reads where in memory their arguments are, and writes their outputs there.

#include <emscripten/val.h>

#include "kernels/attention.h"

namespace webformer {

/// {query, keys, values, …}: the fields of AttentionArgs, with addresses as numbers (0: null) and shapes beside them. web/module.ts has
/// its type. Addresses stay until the job goes on, views of the memory end when it grows.
emscripten::val to_js(const AttentionArgs& args);

}  // namespace webformer
