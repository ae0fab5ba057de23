#pragma once
// Attention by itself, without a model around it.

#include <emscripten/val.h>

#include <string>

namespace webformer {

/// One head. Staged as floats, one after the other: queries [T, D], keys [S, D], values [S, D], and where `options` has them a bias [T, S]
/// and a mask [T, S], 1 = visible. options: {queries, keys, size, scale, causal, window, softcap, bias, mask}, the sizes T, S and D first.
/// The last query stands at the last key. Returns [output [T, D], weights [T, S]].
emscripten::val attend(std::string options);

}  // namespace webformer
