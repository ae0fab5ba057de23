#include "model/packing.h"

#include <algorithm>

namespace webformer {

namespace {

void require_shape(const IdMatrix& given, const IdMatrix& ids, std::string_view name) {
  if (given.given() && (given.rows != ids.rows || given.cols != ids.cols)) {
    throw Error(Code::invalid_argument, "{}: shape {}, {} expected, the shape of the ids", name, Shape{given.rows, given.cols},
                Shape{ids.rows, ids.cols});
  }
}

/// Calls f(i, j) for each packed row i and its place j among the B * T rows of the padded batch.
template <class F>
void each_row(const Packed& p, F f) {
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = p.tokens.rows.begin[std::size_t(b)]; i < p.tokens.rows.begin[std::size_t(b) + 1]; ++i)
      f(i, b * p.length + p.columns[std::size_t(i)]);
  }
}

}  // namespace

Packed pack(const IdMatrix& ids, const IdMatrix& mask, const IdMatrix& types, const IdMatrix& positions, const StackConfig& c,
            std::int32_t pad_token_id, bool keep_padding, std::string_view name) {
  if (ids.rows == 0) throw Error(Code::invalid_argument, "{}: at least one row expected", name);
  require_shape(mask, ids, name == "inputIds" ? "attentionMask" : "decoderAttentionMask");
  require_shape(types, ids, "tokenTypeIds");
  require_shape(positions, ids, "positionIds");
  Packed p;
  p.batch = ids.rows;
  p.length = ids.cols;
  std::vector<std::int32_t> counted;
  for (std::int64_t b = 0; b < ids.rows; ++b) {
    counted.clear();
    const std::span<const std::int32_t> row(ids.data.data() + b * ids.cols, std::size_t(ids.cols));
    count_positions(c, pad_token_id, row, 0, counted);
    std::int64_t unmasked = 0;
    const auto take = [&](bool seen) {
      for (std::int64_t t = 0; t < ids.cols; ++t) {
        if ((!mask.given() || mask.at(b, t) != 0) != seen) continue;
        p.tokens.ids.push_back(ids.at(b, t));
        if (types.given()) p.tokens.types.push_back(types.at(b, t));
        p.tokens.rows.positions.push_back(
            positions.given() ? positions.at(b, t) : counted[std::size_t(c.position_count == PositionCount::unmasked ? unmasked++ : t)]);
        p.columns.push_back(std::int32_t(t));
      }
    };
    take(true);
    if (keep_padding) {
      p.tokens.rows.visible.push_back(std::int64_t(p.columns.size()) - p.tokens.rows.begin.back());
      take(false);
    }
    p.tokens.rows.begin.push_back(std::int64_t(p.columns.size()));
  }
  return p;
}

Array Packed::unpack(ConstMatrix x) const {
  Array padded(Shape{batch, length, x.cols});
  each_row(*this, [&](std::int64_t row, std::int64_t padded_row) { std::copy_n(x.row(row), x.cols, padded.matrix().row(padded_row)); });
  return padded;
}

void Packed::repack(const Array& x, Matrix packed) const noexcept {
  each_row(*this,
           [&](std::int64_t row, std::int64_t padded_row) { std::copy_n(x.matrix().row(padded_row), x.shape[-1], packed.row(row)); });
}

Array unpack_weights(const std::vector<Array>& weights, const Packed& queries, const Packed& keys, int heads) {
  Array padded(Shape{queries.batch, heads, queries.length, keys.length});
  for (std::size_t b = 0; b < weights.size(); ++b) {
    const Array& w = weights[b];
    if (w.data.empty()) continue;
    const std::int32_t* to_query = queries.columns.data() + queries.tokens.rows.begin[b];
    const std::int32_t* to_key = keys.columns.data() + keys.tokens.rows.begin[b];
    const float* source = w.data.data();
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t t = 0; t < w.shape[1]; ++t) {
        float* row = padded.data.data() + ((std::int64_t(b) * heads + h) * queries.length + to_query[t]) * keys.length;
        for (std::int64_t s = 0; s < w.shape[2]; ++s) row[to_key[s]] = *source++;
      }
    }
  }
  return padded;
}

}  // namespace webformer
