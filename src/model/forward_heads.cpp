#include <algorithm>

#include "model/forward_call.h"

namespace webformer {

namespace {

/// Which rows of the last hidden state get logits, and their shape without the last axis.
struct LogitRows {
  std::vector<std::int64_t> rows;  // of the packed matrix, -1: padding
  std::int64_t per_sequence = 0;
};

LogitRows logit_rows(const ForwardCall& call) {
  const Packed& top = call.top();
  const Rows& rows = top.tokens.rows;
  LogitRows wanted;
  using Logits = ForwardOptions::Logits;
  if (call.options.logits == Logits::none) return wanted;
  if (call.options.logits == Logits::last) {
    wanted.per_sequence = 1;
    for (int b = 0; b < rows.sequences(); ++b) wanted.rows.push_back(rows.length(b) ? rows.begin[std::size_t(b) + 1] - 1 : -1);
    return wanted;
  }
  std::vector<std::int32_t> columns = call.options.positions;
  if (call.options.logits == Logits::all) {
    columns.resize(std::size_t(top.length));
    for (std::size_t t = 0; t < columns.size(); ++t) columns[t] = std::int32_t(t);
  }
  wanted.per_sequence = std::int64_t(columns.size());
  for (const std::int32_t column : columns) {
    if (column < 0 || column >= top.length)
      throw Error(Code::invalid_argument, "logits: position {}, 0 to {} expected", column, top.length - 1);
  }
  for (int b = 0; b < rows.sequences(); ++b) {
    std::vector<std::int64_t> place(std::size_t(top.length), -1);
    for (std::int64_t i = rows.begin[std::size_t(b)]; i < rows.begin[std::size_t(b) + 1]; ++i)
      place[std::size_t(top.columns[std::size_t(i)])] = i;
    for (const std::int32_t column : columns) wanted.rows.push_back(place[std::size_t(column)]);
  }
  return wanted;
}

void vocabulary_logits(ForwardCall& call, ConstMatrix hidden) {
  const LmHead& head = *call.model.heads.lm;
  const std::int64_t vocab = head.output.weight->rows();
  const LogitRows wanted = logit_rows(call);
  if (wanted.rows.empty()) return;
  Array logits(Shape{call.top().batch, wanted.per_sequence, vocab});
  Scope scope(call.pass.workspace);
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < wanted.rows.size(); ++i) {
    if (wanted.rows[i] >= 0) places.push_back(std::int64_t(i));
  }
  Matrix chosen = call.pass.workspace.matrix(std::int64_t(places.size()), hidden.cols);
  for (std::int64_t i = 0; i < chosen.rows; ++i)
    std::copy_n(hidden.row(wanted.rows[std::size_t(places[std::size_t(i)])]), hidden.cols, chosen.row(i));
  if (chosen.rows * chosen.cols > 0 && std::int64_t(places.size()) == std::int64_t(wanted.rows.size())) {
    head.forward(chosen, logits.matrix(), call.pass);
  } else {
    Matrix computed = call.pass.workspace.matrix(chosen.rows, vocab);
    head.forward(chosen, computed, call.pass);
    for (std::int64_t i = 0; i < chosen.rows; ++i) std::copy_n(computed.row(i), vocab, logits.matrix().row(places[std::size_t(i)]));
  }
  call.output.logits = std::move(logits);
}

/// The vector that stands for each text. [B, C]
void pool_for_classifier(ForwardCall& call, ConstMatrix hidden, Matrix texts) {
  const Packed& top = call.top();
  const Rows& rows = top.tokens.rows;
  const ModelConfig& c = call.config();
  for (std::int64_t b = 0; b < texts.rows; ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)], end = rows.begin[std::size_t(b) + 1];
    std::fill_n(texts.row(b), texts.cols, 0.f);
    if (first == end) continue;
    if (c.classifier_pooling == Pooling::mean) {
      for (std::int64_t i = first; i < end; ++i) add(texts.rows_from(b, 1), hidden.rows_from(i, 1));
      scale(texts.rows_from(b, 1), 1 / float(end - first));
      continue;
    }
    std::int64_t place = first;
    if (c.classifier_pooling == Pooling::last || c.classifier_pooling == Pooling::last_eos) {
      place = end - 1;
      const auto ends_here = [&](std::int32_t id) {
        return c.classifier_pooling == Pooling::last ? id != c.pad_token_id
                                                     : std::ranges::find(c.eos_token_ids, id) != c.eos_token_ids.end();
      };
      // BART looks for the end-of-sequence token in what the encoder read, which the decoder reads one to the right.
      const Packed& searched = c.classifier_pooling == Pooling::last_eos ? call.source : top;
      for (std::int64_t i = searched.tokens.rows.begin[std::size_t(b)]; i < searched.tokens.rows.begin[std::size_t(b) + 1]; ++i) {
        if (!ends_here(searched.tokens.ids[std::size_t(i)])) continue;
        const auto found = std::find(top.columns.begin() + first, top.columns.begin() + end, searched.columns[std::size_t(i)]);
        if (found != top.columns.begin() + end) place = found - top.columns.begin();
      }
    }
    std::copy_n(hidden.row(place), hidden.cols, texts.row(b));
  }
}

}  // namespace

std::int64_t count_logit_rows(const ForwardCall& call) { return std::int64_t(logit_rows(call).rows.size()); }

void run_heads(ForwardCall& call, ConstMatrix hidden) {
  const Heads& heads = call.model.heads;
  const Packed& top = call.top();
  ModelOutput& out = call.output;
  Pass& pass = call.pass;
  const std::int64_t batch = top.batch;
  Scope scope(pass.workspace);
  if (heads.pooler) {
    Matrix first = pass.workspace.matrix(batch, hidden.cols);
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t row = top.tokens.rows.begin[std::size_t(b)];
      if (top.tokens.rows.length(int(b))) std::copy_n(hidden.row(row), hidden.cols, first.row(b));
      else std::fill_n(first.row(b), hidden.cols, 0.f);
    }
    out.pooled.emplace(Shape{batch, hidden.cols});
    heads.pool(first, out.pooled->matrix(), pass);
  }
  if (heads.next_sentence) {
    out.next_sentence_logits.emplace(Shape{batch, 2});
    heads.next_sentence->forward(out.pooled->matrix(), out.next_sentence_logits->matrix(), pass);
  }
  if (heads.lm) vocabulary_logits(call, hidden);
  if (!heads.classifier) return;

  const std::int64_t labels = heads.classifier->output.weight->rows();
  if (call.config().head == Head::sequence_classification) {
    Matrix texts = pass.workspace.matrix(batch, hidden.cols);
    if (call.config().classifier_pooling == Pooling::pooled) texts = out.pooled->matrix();
    else pool_for_classifier(call, hidden, texts);
    out.logits.emplace(Shape{batch, labels});
    heads.classifier->forward(texts, out.logits->matrix(), pass);
    return;
  }
  Matrix scores = pass.workspace.matrix(hidden.rows, labels);
  heads.classifier->forward(hidden, scores, pass);
  Array padded = top.unpack(scores);
  if (call.config().head == Head::token_classification) {
    out.logits = std::move(padded);
    return;
  }
  out.start_logits.emplace(Shape{batch, top.length});
  out.end_logits.emplace(Shape{batch, top.length});
  for (std::int64_t i = 0; i < batch * top.length; ++i) {
    out.start_logits->data[std::size_t(i)] = padded.data[std::size_t(2 * i)];
    out.end_logits->data[std::size_t(i)] = padded.data[std::size_t(2 * i + 1)];
  }
}

}  // namespace webformer
