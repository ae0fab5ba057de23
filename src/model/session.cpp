#include "model/session.h"

#include <algorithm>

#include "model/remember.h"

namespace webformer {

namespace {

constexpr std::int64_t chunk_tokens = 256;  // enough rows for the matrix kernels to run at full speed

/// Takes back what a step added to its sequences, unless the step was completed.
class Rollback {
 public:
  Rollback(KvCache& cache, const std::vector<Feed>& feeds) : cache_(cache) {
    for (const Feed& feed : feeds) before_.emplace_back(feed.sequence, cache.length(feed.sequence));
  }
  ~Rollback() {
    if (completed) return;
    for (const auto& [sequence, length] : before_) cache_.truncate(sequence, length);
  }
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;

  bool completed = false;

 private:
  KvCache& cache_;
  std::vector<std::pair<int, std::int64_t>> before_;
};

}  // namespace

Session::Session(std::shared_ptr<const Model> model, std::int64_t max_length)
    : model_(std::move(model)),
      max_length_(model_->config.context_length),
      cache_(model_->config.decoder.layers, std::int64_t(model_->config.decoder.kv_heads) * model_->config.decoder.head_size) {
  if (!model_->decoder) throw Error(Code::invalid_argument, "model_type {}: an encoder cannot generate", model_->config.model_type);
  if (max_length > 0) max_length_ = std::min(max_length_, max_length);
}

std::size_t Session::bytes() const noexcept { return workspace_.bytes() + cache_.bytes() + memory_.bytes(); }

Task<> Session::encode(std::vector<std::vector<std::int32_t>> sources, Schedule& schedule) {
  const Model& m = *model_;
  if (!m.encoder) throw Error(Code::internal_error, "encode: {} has no encoder", m.config.model_type);
  Tokens input;
  for (const auto& ids : sources) {
    if (ids.empty()) throw Error(Code::invalid_argument, "a source has no tokens: at least one expected");
    input.ids.insert(input.ids.end(), ids.begin(), ids.end());
    count_positions(m.encoder->config, m.config.pad_token_id, ids, 0, input.rows.positions);
    input.rows.begin.push_back(std::int64_t(input.ids.size()));
  }
  check_tokens(input, m.encoder->embeddings, m.encoder->config, m.config.context_length);
  Scope scope(workspace_);
  Pass pass{.workspace = workspace_, .schedule = schedule, .device = device_};
  Matrix encoded = workspace_.matrix(input.rows.total(), m.encoder->config.width);
  co_await m.encoder->forward(input, {.config = m.encoder->config, .rows = input.rows, .name = m.encoder->name}, encoded, pass);
  memory_ = co_await remember(*m.decoder, input.rows, encoded, pass);
}

int Session::add_sequence(int source) {
  if (model_->encoder && (source < 0 || source >= memory_.sources())) {
    throw Error(Code::internal_error, "source {}: {} were encoded", source, memory_.sources());
  }
  sources_.reserve(sources_.size() + 1);  // nothing may fail once the cache has the sequence
  const int sequence = cache_.add();
  if (sources_.size() <= std::size_t(sequence)) sources_.resize(std::size_t(sequence) + 1);
  sources_[std::size_t(sequence)] = source;
  return sequence;
}

int Session::fork(int sequence) {
  sources_.reserve(sources_.size() + 1);  // as above
  const int copy = cache_.fork(sequence);
  if (sources_.size() <= std::size_t(copy)) sources_.resize(std::size_t(copy) + 1);
  sources_[std::size_t(copy)] = sources_[std::size_t(sequence)];
  return copy;
}

void Session::release(int sequence) noexcept { cache_.release(sequence); }

void Session::release_all() noexcept {
  cache_.clear();
  sources_.clear();
  memory_ = {};
}

std::int64_t Session::length(int sequence) const { return cache_.length(sequence); }

void Session::truncate(int sequence, std::int64_t length) { cache_.truncate(sequence, length); }

void Session::check(const std::vector<Feed>& feeds) const {
  for (const Feed& feed : feeds) {
    if (!cache_.alive(feed.sequence)) throw Error(Code::internal_error, "sequence {}: not there", feed.sequence);
    if (feed.ids.empty()) throw Error(Code::invalid_argument, "a prompt has no tokens: at least one expected");
    const std::int64_t needed = cache_.length(feed.sequence) + std::int64_t(feed.ids.size());
    if (needed > max_length_) {
      throw Error(Code::context_full, "{} tokens: the context has {}", needed, max_length_)
          .with("found", needed)
          .with("limit", max_length_);
    }
    const std::int64_t vocab = model_->decoder->embeddings.tokens.table->rows();
    for (const std::int32_t id : feed.ids) {
      if (id < 0 || id >= vocab)
        throw Error(Code::invalid_argument, "token id {}: at least 0 and less than {} (vocab_size) expected", id, vocab);
    }
  }
}

Task<Matrix> Session::step(std::vector<Feed> feeds, Schedule& schedule) {
  check(feeds);
  const std::int64_t vocab = model_->heads.lm->output.weight->rows();
  const Shape wanted{std::int64_t(feeds.size()), vocab};
  if (!(logits_.shape == wanted)) logits_ = Array(wanted);
  Rollback rollback(cache_, feeds);

  std::vector<std::size_t> read_so_far(feeds.size(), 0);
  std::vector<Feed> chunk;
  std::vector<std::int64_t> rows;
  while (true) {
    chunk.clear();
    rows.clear();
    std::int64_t room = chunk_tokens;
    for (std::size_t i = 0; i < feeds.size() && room > 0; ++i) {
      const auto rest = feeds[i].ids.subspan(read_so_far[i]);
      if (rest.empty()) continue;
      const std::size_t count = std::min(rest.size(), std::size_t(room));
      chunk.push_back({feeds[i].sequence, rest.first(count)});
      rows.push_back(count == rest.size() ? std::int64_t(i) : -1);
      read_so_far[i] += count;
      room -= std::int64_t(count);
    }
    if (chunk.empty()) break;
    co_await read(chunk, rows, schedule);
  }
  if (!all_finite(logits_.matrix())) throw Error(Code::numeric_error, "the logits: a number of them is NaN or infinite");
  rollback.completed = true;
  co_return logits_.matrix();
}

Task<> Session::read(std::span<const Feed> chunk, std::span<const std::int64_t> rows, Schedule& schedule) {
  const Stack& decoder = *model_->decoder;
  Tokens input;
  std::vector<int> sequences, sources;
  for (const Feed& feed : chunk) {
    input.ids.insert(input.ids.end(), feed.ids.begin(), feed.ids.end());
    count_positions(decoder.config, model_->config.pad_token_id, feed.ids, cache_.length(feed.sequence), input.rows.positions);
    input.rows.begin.push_back(std::int64_t(input.ids.size()));
    sequences.push_back(feed.sequence);
    sources.push_back(sources_[std::size_t(feed.sequence)]);
  }
  check_tokens(input, decoder.embeddings, decoder.config, model_->config.context_length);
  for (const Feed& feed : chunk) cache_.extend(feed.sequence, std::int64_t(feed.ids.size()));

  Scope scope(workspace_);
  Pass pass{.workspace = workspace_, .schedule = schedule, .device = device_};
  Matrix x = workspace_.matrix(input.rows.total(), decoder.config.output_width());
  co_await decoder.forward(input,
                           {.config = decoder.config,
                            .rows = input.rows,
                            .name = decoder.name,
                            .kv_cache = &cache_,
                            .sequences = sequences,
                            .memory = &memory_,
                            .sources = sources},
                           x, pass);
  const auto finished = std::int64_t(std::ranges::count_if(rows, [](std::int64_t row) { return row >= 0; }));
  if (finished == 0) co_return;
  Matrix last = workspace_.matrix(finished, x.cols), made = workspace_.matrix(finished, logits_.shape[1]);
  for (std::int64_t i = 0, at = 0; i < std::int64_t(rows.size()); ++i) {
    if (rows[std::size_t(i)] >= 0) std::copy_n(x.row(input.rows.begin[std::size_t(i) + 1] - 1), x.cols, last.row(at++));
  }
  co_await model_->heads.lm->forward(last, made, pass);
  for (std::int64_t i = 0, at = 0; i < std::int64_t(rows.size()); ++i) {
    if (rows[std::size_t(i)] >= 0) std::copy_n(made.row(at++), made.cols, logits_.matrix().row(rows[std::size_t(i)]));
  }
}

}  // namespace webformer
