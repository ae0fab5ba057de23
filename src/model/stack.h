#pragma once
// A stack of layers over an embedding: an encoder or a decoder.

#include <optional>
#include <string>
#include <vector>

#include "model/embeddings.h"

namespace webformer {

struct Stack {
  std::string name;  ///< "encoder" or "decoder"
  StackConfig config;
  Embeddings embeddings;
  std::vector<Layer> layers;  ///< the distinct ones
  std::optional<Norm> final_norm;
  std::optional<Linear> output_projection;
  std::optional<Embedding> relative_bias;  ///< [buckets, H] (T5)

  static Stack declare(const WeightScope& w, std::string name, const StackConfig& c, int vocab_size, std::int64_t context_length,
                       std::int32_t pad_token_id, const Embedding* shared_tokens, int memory_width);

  /// The layer at a depth of 0 to L - 1; neighbours may be one and the same (ALBERT).
  const Layer& layer(int depth) const noexcept { return layers[std::size_t(depth * config.distinct_layers / config.layers)]; }

  /// Embeds the tokens and runs all layers. x: [N, C], written ([N, E] where an output projection follows). `run` says what the sequences
  /// see; its biases are filled in here. Shows "NAME.hidden.0" (the embeddings) to "NAME.hidden.L" (after the final norm and projection).
  /// Stops inside of layers, too, when the time of a step is over.
  Task<> forward(const Tokens& input, StackPass run, Matrix x, Pass& pass) const;
  /// dx: the gradient of the output, changed. shared.memory: with cross-attention, the gradient of run.memory, added to.
  Task<> backward(const Tokens& input, StackPass run, Matrix dx, StackGradients shared, Backward& back) const;

 private:
  /// The backward of a layer that the tape forgot, after its forward.
  Task<> backward_again(int depth, const StackPass& run, Matrix dx, StackGradients shared, Backward& back) const;
  /// Fills in what the attention of all layers adds to its scores. It lives as long as the enclosing Scope.
  void prepare_biases(StackPass& run, Workspace& workspace) const;
};

/// ALiBi's slopes (Press et al. 2021): a geometric series from 2^(-max_bias/n), and between its steps where H is no power of two.
std::vector<float> alibi_slopes(int heads, float max_bias);

/// T5's bucket of a distance key - query (Raffel et al. 2020, section 2.1): exact up to half of the buckets, then by logarithm.
int relative_bucket(std::int64_t distance, bool bidirectional, int buckets, int max_distance) noexcept;

}  // namespace webformer
