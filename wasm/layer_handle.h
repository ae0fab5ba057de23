#pragma once
// A layer by itself, as JavaScript sees it.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "wasm/layer_piece.h"

namespace webformer {

class LayerHandle {
 public:
  explicit LayerHandle(std::shared_ptr<const LayerPiece> layer) : layer_(std::move(layer)) {}

  /// Staged as floats, one after the other: x, key, value, mask, memory mask and source mask of LayerInputs, those that `call` has.
  /// call: {x, key, value} with shapes [B, N, C], {mask, memoryMask, sourceMask} with how many numbers they have, and causal.
  /// Returns the job that gives the outputs by name.
  emscripten::val forward(std::string call) const;

 private:
  std::shared_ptr<const LayerPiece> layer_;
};

/// The staged weights are a safetensors file of `length` bytes. Throws invalid_argument for a weight that the layer does not have.
emscripten::val create_layer(std::string kind, std::string options, std::size_t length);

}  // namespace webformer
