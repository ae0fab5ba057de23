#pragma once
// What positions add to embeddings or to attention, as tables.

#include <emscripten/val.h>

#include <string>

namespace webformer {

/// options: {length} and, by kind, {width}, {width, base}, {heads}, {buckets, maxDistance}, checked by JavaScript. T length, C width.
/// sinusoidal: [T, C]. rope: [2, T, C/2], cosines and then sines of the angles by which the pairs of a head's numbers turn (Su et al.
/// 2021). alibi: [H, T, T], what is added to the scores (Press et al. 2021). t5: [T, T], the bucket of each distance, seen both ways
/// (Raffel et al. 2020).
emscripten::val position_table(std::string kind, std::string options);

}  // namespace webformer
