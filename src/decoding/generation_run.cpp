#include "decoding/generation_run.h"

#include <algorithm>
#include <chrono>

#include "decoding/sampling.h"

namespace webformer {

EndOfSequence::EndOfSequence(const GenerationConfig& config, const Tokenizer* tokenizer, const Prompt& prompt,
                             std::span<const std::int32_t> before)
    : config_(&config), max_length_(prompt.max_length) {
  if (config.stop_strings.empty()) return;
  stop_.emplace(config.stop_strings);
  text_.emplace(tokenizer, std::span<const std::int32_t>{}, false);
  stop_->push(text_->push(before));  // a stop string may begin in the prompt
}

std::optional<FinishReason> EndOfSequence::push(std::int32_t id, std::int64_t length) {
  const bool stopped = stop_ && stop_->push(text_->push(std::span(&id, 1)));
  if (std::ranges::find(config_->eos_token_id, id) != config_->eos_token_id.end()) return FinishReason::eos;
  if (stopped) return FinishReason::stop;
  if (length >= max_length_) return FinishReason::length;
  return std::nullopt;
}

GenerationItem OutputRow::add(std::span<const std::int32_t> ids, bool last) {
  GenerationItem item;
  item.index = index_;
  item.text = stream_.push(ids);
  item.ids.assign(ids.begin(), ids.end());
  item.last = last;
  if (last) item.text += stream_.end();
  text_ += item.text;
  return item;
}

std::string OutputRow::preview(std::span<const std::int32_t> ids) const {
  TextStream stream = stream_;
  std::string text = stream.push(ids);
  return text + stream.end();
}

std::span<const std::int32_t> GenerationRun::text_before(const Prompt& prompt) const {
  return session.model().encoder ? std::span<const std::int32_t>{} : std::span<const std::int32_t>(prompt.ids);
}

Random GenerationRun::random(std::int64_t prompt, std::int64_t sequence) const {
  if (config.seed) return random_of(std::uint64_t(*config.seed), std::uint64_t(sequence));
  return random_of(entropy, std::uint64_t(prompt * config.num_return_sequences + sequence));
}

std::vector<TokenCandidate> GenerationRun::candidates(std::span<const float> scores) const {
  std::vector<TokenCandidate> list;
  if (config.top_candidates == 0) return list;
  for (const TokenProbability& one : likeliest(scores, config.top_candidates)) {
    list.push_back({one.id, token_text(tokenizer, one.id), one.probability});
  }
  return list;
}

std::int64_t GenerationRun::note(std::int64_t step, std::int64_t parent, std::int32_t id, double score) {
  if (!config.return_beams) return -1;
  result.beams.push_back({step, parent, id, score});
  return std::int64_t(result.beams.size()) - 1;
}

void GenerationRun::emit(GenerationItem item) {
  const bool has_news = !item.ids.empty() || !item.text.empty() || item.draft || !item.candidates.empty() || item.last;
  if (has_news) sink.items.push_back(std::move(item));
}

Task<> GenerationRun::pause() {
  const double spent = std::chrono::duration<double, std::milli>(Schedule::Clock::now() - since).count();
  (prefilled ? result.usage.decode_ms : result.usage.prefill_ms) += spent;
  prefilled = true;
  co_await schedule.pause();
  since = Schedule::Clock::now();
}

void GenerationRun::finish(const OutputRow& row, const Prompt& prompt, std::vector<std::int32_t> ids, FinishReason reason, double score) {
  const auto at = std::size_t(row.index());
  result.usage.new_tokens += std::int64_t(ids.size() - prompt.ids.size());
  result.texts[at] = row.text();
  result.sequences[at] = std::move(ids);
  result.finish_reasons[at] = reason;
  if (config.return_scores) result.scores[at] = score;
}

}  // namespace webformer
