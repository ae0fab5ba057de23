#include "model/embeddings.h"

#include <algorithm>
#include <cmath>

namespace webformer {

Array sinusoidal_table(std::int64_t rows, int width, SinusoidLayout layout, std::int64_t zero_row) {
  Array table(Shape{rows, width});
  const int half = (width + 1) / 2;  // an odd width has one sine more
  for (std::int64_t position = 0; position < rows; ++position) {
    float* row = table.matrix().row(position);
    if (position == zero_row) continue;
    for (int i = 0; i < half; ++i) {
      const double exponent = layout == SinusoidLayout::halves_m2m ? double(i) / std::max(1.0, width / 2 - 1.0) : 2.0 * i / width;
      const double angle = double(position) * std::pow(10000.0, -exponent);
      const bool interleaved = layout == SinusoidLayout::interleaved;
      const int sine = interleaved ? 2 * i : i, cosine = interleaved ? 2 * i + 1 : half + i;
      row[sine] = float(std::sin(angle));
      if (cosine < width) row[cosine] = float(std::cos(angle));
    }
  }
  return table;
}

Embeddings Embeddings::declare(const WeightScope& w, const StackConfig& c, int vocab_size, std::int64_t context_length,
                               std::int32_t pad_token_id, const Embedding* shared) {
  const int width = c.embedding_width ? c.embedding_width : c.width;
  Embeddings e;
  e.tokens = shared ? *shared : Embedding::declare(w("tokens"), vocab_size, width, TableUse::tokens);
  if (c.positions == Positions::learned)
    e.positions = Embedding::declare(w("positions"), c.max_positions + c.position_offset, c.positions_after_projection ? c.width : width,
                                     TableUse::positions);
  if (c.positions == Positions::sinusoidal) {
    const std::int64_t first = c.position_count == PositionCount::from_pad ? std::int64_t(pad_token_id) + 1 : 0;
    e.sinusoid = sinusoidal_table(context_length + first + c.position_offset, width, c.sinusoid, first ? pad_token_id : -1);
  }
  if (c.token_types > 0) e.types = Embedding::declare(w("types"), c.token_types, width, TableUse::positions);
  if (c.embedding_norm) e.norm = Norm::declare(w("norm"), width, c.norm);
  if (c.embedding_projection) e.projection = Linear::declare(w("projection"), width, c.width, c.embedding_projection_bias);
  return e;
}

std::int64_t Embeddings::position_rows() const noexcept {
  if (positions) return positions->table->rows();
  return sinusoid.data.empty() ? -1 : sinusoid.shape[0];
}

Task<> Embeddings::forward(const Tokens& input, const StackConfig& c, Matrix x, Pass& pass) const {
  Scope scope(pass.workspace);
  Matrix e = projection ? pass.lasting(x.rows, tokens.table->cols()) : x;
  Matrix added = pass.workspace.matrix(1, e.cols);
  for (std::int64_t i = 0; i < e.rows; ++i) {
    const Matrix row = e.rows_from(i, 1);
    tokens.table->row(input.ids[std::size_t(i)], row.data);
    if (c.embedding_scale != 1) scale(row, c.embedding_scale);
    if (!c.positions_after_projection) add_position(input, c, i, row, pass);
    if (types) {
      types->table->row(input.types.empty() ? 0 : input.types[std::size_t(i)], added.data);
      add(row, added);
    }
  }
  if (norm) norm->forward(e, e, pass);
  pass.drop(e, &DropoutRates::embedding);
  if (projection) co_await projection->forward(e, x, pass);
  for (std::int64_t i = 0; c.positions_after_projection && i < x.rows; ++i) add_position(input, c, i, x.rows_from(i, 1), pass);
}

void Embeddings::add_position(const Tokens& input, const StackConfig& c, std::int64_t token, Matrix row, Pass& pass) const {
  const std::int64_t position = input.rows.positions[std::size_t(token)] + c.position_offset;
  if (positions) {
    Scope scope(pass.workspace);
    Matrix added = pass.workspace.matrix(1, row.cols);
    positions->table->row(position, added.data);
    add(row, added);
  } else if (!sinusoid.data.empty()) {
    add(row, sinusoid.matrix().rows_from(position, 1));
  }
}

void Embeddings::backward(const Tokens& input, const StackConfig& c, Matrix dx, Backward& back) const {
  Scope scope(back.workspace);
  Matrix de = dx;
  if (projection) {
    de = back.zeros(dx.rows, tokens.table->cols());
    projection->backward(dx, de, back);
  }
  back.drop(de, &DropoutRates::embedding);
  if (norm) norm->backward(de, de, back);
  const auto gradient_of = [&](const std::optional<Embedding>& table) { return table ? back.gradients.of(*table->table) : nullptr; };
  PackedWeights *token_gradient = back.gradients.of(*tokens.table), *position_gradient = gradient_of(positions);
  PackedWeights* type_gradient = gradient_of(types);
  for (std::int64_t i = 0; i < de.rows; ++i) {
    const auto token = std::size_t(i);
    if (type_gradient) type_gradient->add_to_row(input.types.empty() ? 0 : input.types[token], de.row(i));
    if (position_gradient)
      position_gradient->add_to_row(input.rows.positions[token] + c.position_offset, (c.positions_after_projection ? dx : de).row(i));
    if (!token_gradient) continue;
    if (c.embedding_scale != 1) scale(de.rows_from(i, 1), c.embedding_scale);
    token_gradient->add_to_row(input.ids[token], de.row(i));
  }
}

void count_positions(const StackConfig& c, std::int32_t pad_token_id, std::span<const std::int32_t> ids, std::int64_t start,
                     std::vector<std::int32_t>& positions) {
  auto next = std::int32_t(start);
  if (c.position_count != PositionCount::from_pad) {
    for (std::size_t i = 0; i < ids.size(); ++i) positions.push_back(next++);
    return;
  }
  for (const std::int32_t id : ids) positions.push_back(id == pad_token_id ? pad_token_id : pad_token_id + 1 + next++);
}

void check_tokens(const Tokens& input, const Embeddings& embeddings, const StackConfig& c, std::int64_t context_length) {
  const std::int64_t vocab = embeddings.tokens.table->rows();
  for (const std::int32_t id : input.ids) {
    if (id < 0 || id >= vocab)
      throw Error(Code::invalid_argument, "token id {}: at least 0 and less than {} (vocab_size) expected", id, vocab);
  }
  if (!input.types.empty() && c.token_types == 0)
    throw Error(Code::invalid_argument, "tokenTypeIds: the model has no token types; leave them out").with("option", "tokenTypeIds");
  for (const std::int32_t type : input.types) {
    if (type < 0 || type >= c.token_types)
      throw Error(Code::invalid_argument, "token type {}: at least 0 and less than {} (type_vocab_size) expected", type, c.token_types);
  }
  const std::int64_t rows = embeddings.position_rows();
  std::int64_t limit = rows >= 0 ? rows - c.position_offset : context_length;
  for (const RopeConfig& rope : c.ropes) {
    if (rope.longest > 0) limit = rope.longest;
  }
  for (const std::int32_t position : input.rows.positions) {
    if (position < 0) throw Error(Code::invalid_argument, "position {}: at least 0 expected", position);
    if (position >= limit) {
      throw Error(Code::context_full, "position {}: the model has {} positions", position, limit)
          .with("found", position)
          .with("limit", limit);
    }
  }
}

}  // namespace webformer
