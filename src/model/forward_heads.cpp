#include <algorithm>

#include "model/forward_call.h"

namespace webformer {

namespace {

/// Which rows of the last hidden state get logits, and their shape without the last axis.
struct LogitRows {
  std::vector<std::int64_t> rows;  // of the packed matrix, -1: padding
  std::int64_t sequences = 0, per_sequence = 0;

  /// The numbers of those that are no padding.
  std::vector<std::int64_t> present() const {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) places.push_back(std::int64_t(i));
    }
    return places;
  }
};

/// The packed row of each place in sequence b of the padded batch, -1 for padding. [T]
std::vector<std::int64_t> rows_by_column(const Packed& packed, std::int64_t b) {
  std::vector<std::int64_t> place(std::size_t(packed.length), -1);
  const Rows& rows = packed.tokens.rows;
  for (std::int64_t i = rows.begin[std::size_t(b)]; i < rows.begin[std::size_t(b) + 1]; ++i)
    place[std::size_t(packed.columns[std::size_t(i)])] = i;
  return place;
}

LogitRows labelled_rows(const ForwardCall& call) {
  const Packed& top = call.top();
  const std::vector<std::int32_t> labels = aligned_labels(call);
  LogitRows wanted{.sequences = 1};
  for (std::int64_t b = 0; b < top.batch; ++b) {
    const std::vector<std::int64_t> place = rows_by_column(top, b);
    for (std::int64_t t = 0; t < top.length; ++t) {
      if (labels[std::size_t(b * top.length + t)] != ignored_label) wanted.rows.push_back(place[std::size_t(t)]);
    }
  }
  wanted.per_sequence = std::int64_t(wanted.rows.size());
  return wanted;
}

LogitRows logit_rows(const ForwardCall& call) {
  const Packed& top = call.top();
  const Rows& rows = top.tokens.rows;
  using Logits = ForwardOptions::Logits;
  if (call.options.logits == Logits::none) return {};
  if (call.options.logits == Logits::labelled) return labelled_rows(call);
  LogitRows wanted{.sequences = top.batch};
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
    const std::vector<std::int64_t> place = rows_by_column(top, b);
    for (const std::int32_t column : columns) wanted.rows.push_back(place[std::size_t(column)]);
  }
  return wanted;
}

Task<> vocabulary_logits(ForwardCall& call) {
  const LmHead& head = *call.model.heads.lm;
  const std::int64_t vocab = head.output.weight->rows();
  const LogitRows wanted = logit_rows(call);
  if (wanted.rows.empty() && call.options.logits != ForwardOptions::Logits::labelled) co_return;
  Array logits(Shape{wanted.sequences, wanted.per_sequence, vocab});
  Scope scope(call.pass.workspace);
  const std::vector<std::int64_t> places = wanted.present();
  Matrix chosen = call.pass.lasting(std::int64_t(places.size()), call.hidden.cols);
  for (std::int64_t i = 0; i < chosen.rows; ++i)
    std::copy_n(call.hidden.row(wanted.rows[std::size_t(places[std::size_t(i)])]), chosen.cols, chosen.row(i));
  if (places.size() == wanted.rows.size()) {
    co_await head.forward(chosen, logits.matrix(), call.pass);
  } else {
    Matrix computed = call.pass.workspace.matrix(chosen.rows, vocab);
    co_await head.forward(chosen, computed, call.pass);
    for (std::int64_t i = 0; i < chosen.rows; ++i) std::copy_n(computed.row(i), vocab, logits.matrix().row(places[std::size_t(i)]));
  }
  call.output.logits = std::move(logits);
}

void vocabulary_logits_backward(ForwardCall& call, Matrix dhidden, Backward& back) {
  if (!call.output.logits) return;
  Scope scope(back.workspace);
  const LogitRows wanted = logit_rows(call);
  const std::vector<std::int64_t> places = wanted.present();
  Matrix dlogits = call.output.logits->matrix();
  if (places.size() != wanted.rows.size()) {
    for (std::size_t i = 0; i < places.size(); ++i) std::copy_n(dlogits.row(places[i]), dlogits.cols, dlogits.row(std::int64_t(i)));
    dlogits.rows = std::int64_t(places.size());
  }
  Matrix dchosen = back.zeros(dlogits.rows, dhidden.cols);
  call.model.heads.lm->backward(dlogits, dchosen, back);
  for (std::int64_t i = 0; i < dchosen.rows; ++i)
    add(dhidden.rows_from(wanted.rows[std::size_t(places[std::size_t(i)])], 1), dchosen.rows_from(i, 1));
}

/// The row of the last hidden state that stands for text b, by a pooling that picks one; the text has tokens.
std::int64_t pooled_row(const ForwardCall& call, std::int64_t b) {
  const Packed& top = call.top();
  const ModelConfig& c = call.config();
  const Rows& rows = top.tokens.rows;
  const std::int64_t first = rows.begin[std::size_t(b)];
  const std::int64_t end = first + (rows.keys(int(b)));
  if (c.classifier_pooling != Pooling::last && c.classifier_pooling != Pooling::last_eos) return first;
  std::int64_t place = end - 1;
  const auto ends_here = [&](std::int32_t id) {
    return c.classifier_pooling == Pooling::last ? id != c.pad_token_id : std::ranges::find(c.eos_token_ids, id) != c.eos_token_ids.end();
  };
  // BART looks for the end-of-sequence token in what the encoder read, which the decoder reads one to the right.
  const Packed& searched = c.classifier_pooling == Pooling::last_eos ? call.source : top;
  for (std::int64_t i = searched.tokens.rows.begin[std::size_t(b)]; i < searched.tokens.rows.begin[std::size_t(b) + 1]; ++i) {
    if (!ends_here(searched.tokens.ids[std::size_t(i)])) continue;
    const auto found = std::find(top.columns.begin() + first, top.columns.begin() + end, searched.columns[std::size_t(i)]);
    if (found != top.columns.begin() + end) place = found - top.columns.begin();
  }
  return place;
}

/// Calls use(b, row, share) for each row of the last hidden state that takes part in the vector of text b.
template <class Use>
void each_pooled(const ForwardCall& call, Use use) {
  const Rows& rows = call.top().tokens.rows;
  for (std::int64_t b = 0; b < rows.sequences(); ++b) {
    const std::int64_t first = rows.begin[std::size_t(b)];
    const std::int64_t count = rows.keys(int(b));
    if (count == 0) continue;
    if (call.config().classifier_pooling == Pooling::mean) {
      for (std::int64_t i = first; i < first + count; ++i) use(b, i, 1 / float(count));
    } else {
      use(b, pooled_row(call, b), 1.f);
    }
  }
}

/// y += share * x
void add_share(ConstMatrix x, float share, Matrix y) noexcept {
  for (std::int64_t j = 0; j < x.cols; ++j) y.data[j] += share * x.data[j];
}

/// The vector that stands for each text. texts: [B, C]
void pool_for_classifier(const ForwardCall& call, Matrix texts) {
  std::fill_n(texts.data, texts.rows * texts.cols, 0.f);
  each_pooled(call, [&](auto b, auto row, float share) { add_share(call.hidden.rows_from(row, 1), share, texts.rows_from(b, 1)); });
}

/// first: [B, C], the first token of each text, zeros for one without tokens.
void first_tokens(const ForwardCall& call, Matrix first) {
  const Rows& rows = call.top().tokens.rows;
  for (std::int64_t b = 0; b < first.rows; ++b) {
    if (rows.length(int(b))) std::copy_n(call.hidden.row(rows.begin[std::size_t(b)]), first.cols, first.row(b));
    else std::fill_n(first.row(b), first.cols, 0.f);
  }
}

Task<> classify(ForwardCall& call) {
  const Classifier& classifier = *call.model.heads.classifier;
  const std::int64_t labels = classifier.output.weight->rows(), batch = call.top().batch;
  ModelOutput& out = call.output;
  Workspace& workspace = call.pass.workspace;
  if (call.config().head == Head::sequence_classification) {
    Matrix texts = workspace.matrix(batch, call.hidden.cols);
    if (call.config().classifier_pooling == Pooling::pooled) texts = out.pooled->matrix();
    else pool_for_classifier(call, texts);
    out.logits.emplace(Shape{batch, labels});
    co_await classifier.forward(texts, out.logits->matrix(), call.pass);
    co_return;
  }
  Matrix scores = workspace.matrix(call.hidden.rows, labels);
  co_await classifier.forward(call.hidden, scores, call.pass);
  Array padded = call.top().unpack(scores);
  if (call.config().head == Head::token_classification) {
    out.logits = std::move(padded);
    co_return;
  }
  out.start_logits.emplace(Shape{batch, call.top().length});
  out.end_logits.emplace(out.start_logits->shape);
  for (std::size_t i = 0; i < out.start_logits->data.size(); ++i) {
    out.start_logits->data[i] = padded.data[2 * i];
    out.end_logits->data[i] = padded.data[2 * i + 1];
  }
}

/// dpooled: [B, C], added to where the classifier reads the pooled vector.
void classify_backward(ForwardCall& call, Matrix dhidden, Matrix dpooled, Backward& back) {
  const Classifier& classifier = *call.model.heads.classifier;
  const ModelOutput& out = call.output;
  if (call.config().head == Head::sequence_classification) {
    if (call.config().classifier_pooling == Pooling::pooled) return classifier.backward(out.logits->matrix(), dpooled, back);
    Matrix dtexts = back.zeros(call.top().batch, dhidden.cols);
    classifier.backward(out.logits->matrix(), dtexts, back);
    each_pooled(call, [&](auto b, auto row, float share) { add_share(dtexts.rows_from(b, 1), share, dhidden.rows_from(row, 1)); });
    return;
  }
  Array padded;
  if (call.config().head == Head::token_classification) {
    padded = *out.logits;
  } else {
    padded = Array(Shape{call.top().batch, call.top().length, 2});
    for (std::size_t i = 0; i < out.start_logits->data.size(); ++i) {
      padded.data[2 * i] = out.start_logits->data[i];
      padded.data[2 * i + 1] = out.end_logits->data[i];
    }
  }
  Matrix dscores = back.workspace.matrix(dhidden.rows, padded.shape[-1]);
  call.top().repack(padded, dscores);
  classifier.backward(dscores, dhidden, back);
}

}  // namespace

std::int64_t count_logit_rows(const ForwardCall& call) { return std::int64_t(logit_rows(call).rows.size()); }

Task<> run_heads(ForwardCall& call) {
  const Heads& heads = call.model.heads;
  ModelOutput& out = call.output;
  Pass& pass = call.pass;
  const std::int64_t batch = call.top().batch, width = call.hidden.cols;
  Scope scope(pass.workspace);
  Matrix first;
  if (heads.pooler || heads.next_sentence) {
    first = pass.lasting(batch, width);
    first_tokens(call, first);
  }
  if (heads.pooler) {
    out.pooled.emplace(Shape{batch, width});
    co_await heads.pool(first, out.pooled->matrix(), pass);
  }
  if (heads.next_sentence) {
    out.next_sentence_logits.emplace(Shape{batch, 2});
    co_await heads.next_sentence->forward(heads.pooler ? out.pooled->matrix() : first, out.next_sentence_logits->matrix(), pass);
  }
  if (heads.lm) co_await vocabulary_logits(call);
  if (heads.classifier) co_await classify(call);
}

void run_heads_backward(ForwardCall& call, Matrix dhidden, Backward& back) {
  const Heads& heads = call.model.heads;
  const Rows& rows = call.top().tokens.rows;
  Scope scope(back.workspace);
  Matrix dpooled = back.zeros(call.top().batch, dhidden.cols);
  if (heads.classifier) classify_backward(call, dhidden, dpooled, back);
  if (heads.lm) vocabulary_logits_backward(call, dhidden, back);
  if (heads.next_sentence) heads.next_sentence->backward(call.output.next_sentence_logits->matrix(), dpooled, back);
  Matrix dfirst = dpooled;
  if (heads.pooler) {
    dfirst = back.zeros(dpooled.rows, dpooled.cols);
    heads.pool_backward(dpooled, dfirst, back);
  }
  for (std::int64_t b = 0; b < dfirst.rows; ++b) {
    if (rows.length(int(b))) add(dhidden.rows_from(rows.begin[std::size_t(b)], 1), dfirst.rows_from(b, 1));
  }
}

}  // namespace webformer
