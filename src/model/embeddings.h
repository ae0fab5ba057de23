#pragma once
// From token ids to the vectors that the first layer reads.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/layers.h"

namespace webformer {

/// Packed tokens of a batch: the ids of all sequences, one after the other.
struct Tokens {
  std::vector<std::int32_t> ids;    ///< [N]
  std::vector<std::int32_t> types;  ///< [N], segments; empty: all 0
  Rows rows;
};

/// token + position + segment, scaled and normalized as the model does it.
struct Embeddings {
  Embedding tokens;
  std::optional<Embedding> positions;  ///< learned
  Array sinusoid;                      ///< computed positions: [rows, C]; empty where there are none
  std::optional<Embedding> types;
  std::optional<Norm> norm;
  std::optional<Linear> projection;  ///< from the embedding's width to C

  /// `tokens` is given where two stacks share one table.
  static Embeddings declare(const WeightScope& w, const StackConfig& c, int vocab_size, std::int64_t context_length,
                            std::int32_t pad_token_id, const Embedding* shared);
  /// x: [N, C]. Ids and positions were checked by check_tokens.
  Task<> forward(const Tokens& input, const StackConfig& c, Matrix x, Pass& pass) const;
  /// dx: [N, C], changed.
  void backward(const Tokens& input, const StackConfig& c, Matrix dx, Backward& back) const;
  /// The number of the table's row for the position of each token.
  std::int64_t position_rows() const noexcept;

 private:
  void add_position(const Tokens& input, const StackConfig& c, std::int64_t token, Matrix row, Pass& pass) const;
};

/// Position numbers of one sequence whose first token stands at `start`: plain, or RoBERTa's, which count from the padding id.
void count_positions(const StackConfig& c, std::int32_t pad_token_id, std::span<const std::int32_t> ids, std::int64_t start,
                     std::vector<std::int32_t>& positions);

/// Throws invalid_argument for an id or a segment outside its table, context_full for a position outside of its, or, where there is none
/// (rotary, relative), beyond the context.
void check_tokens(const Tokens& input, const Embeddings& embeddings, const StackConfig& c, std::int64_t context_length);

/// The table of sinusoidal positions: [rows, width]. PE(pos, 2i) = sin(pos / 10000^(2i/C)), PE(pos, 2i+1) = cos of the same
/// (Vaswani et al. 2017, section 3.5), in the order that `layout` says. A padding row is zero.
Array sinusoidal_table(std::int64_t rows, int width, SinusoidLayout layout, std::int64_t zero_row = -1);

}  // namespace webformer
