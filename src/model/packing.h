#pragma once
// From padded batches to packed rows and back: padding is never computed.

#include <cstdint>
#include <vector>

#include "model/embeddings.h"
#include "model/forward.h"

namespace webformer {

/// A padded batch [B, T] without its padding.
struct Packed {
  Tokens tokens;
  std::int64_t batch = 0;             ///< B
  std::int64_t length = 0;            ///< T
  std::vector<std::int32_t> columns;  ///< [N]: the place of each packed token in its padded row

  /// x: [N, C] to [B, T, C]; zeros where there was padding.
  Array unpack(ConstMatrix x) const;
  /// The backward of unpack: takes the rows of x, [B, T, C], that are no padding. packed: [N, C].
  void repack(const Array& x, Matrix packed) const noexcept;
};

/// `types` and `positions` may be absent. Where `keep_padding` is true padded tokens stay, as queries that nothing else sees, after the
/// others of their row. Throws invalid_argument where the shapes differ.
Packed pack(const IdMatrix& ids, const IdMatrix& mask, const IdMatrix& types, const IdMatrix& positions, const StackConfig& c,
            std::int32_t pad_token_id, bool keep_padding, std::string_view name);

/// Attention weights of each sequence, [H, T_b, S_b], to [B, H, T, S] of the padded batches of queries and keys.
Array unpack_weights(const std::vector<Array>& weights, const Packed& queries, const Packed& keys, int heads);

}  // namespace webformer
