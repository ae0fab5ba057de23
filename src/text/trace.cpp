// How a text becomes ids, for people who want to see it.
#include "text/byte_alphabet.h"
#include "text/compiled.h"

namespace webformer {
namespace {

constexpr std::size_t max_steps = 10'000;

std::vector<std::string> shown(const ModelTokens& tokens, const Words& words, const Vocabulary& vocabulary) {
  std::vector<std::string> result;
  for (const ModelToken& token : tokens) {
    const std::string_view text = std::string_view(words.text.text).substr(token.begin, token.end - token.begin);
    result.emplace_back(token.shows_text ? text : vocabulary.token(token.id));
  }
  return result;
}

}  // namespace

Trace Tokenizer::trace(std::string_view text) const {
  const Words words = make_words(WellFormed(text, *compiled_), *compiled_, *added_);
  Trace trace;
  trace.normalized = words.text.text;
  for (const Word& word : words.list) {
    const std::string_view content = words.of(word);
    const auto index = std::uint32_t(trace.words.size());
    const bool is_spelled = word.added_id < 0 && compiled_->words_are_bytes;
    trace.words.push_back(is_spelled ? to_byte_alphabet(content) : std::string(content));
    if (trace.steps.size() >= max_steps) continue;
    ModelTokens tokens;
    if (word.added_id >= 0) {
      trace.steps.push_back({index, {std::string(token_of(word.added_id))}, std::nullopt, std::nullopt});
    } else if (const auto* bpe = std::get_if<BpeModel>(&compiled_->model)) {
      bpe->watch(content, [&](std::vector<std::string> pieces, std::string left, std::string right) {
        if (trace.steps.size() >= max_steps) return;
        auto merge = left.empty() ? std::nullopt : std::optional(std::pair(std::move(left), std::move(right)));
        trace.steps.push_back({index, std::move(pieces), std::move(merge), std::nullopt});
      });
    } else {
      std::optional<double> score;
      if (const auto* unigram = std::get_if<UnigramModel>(&compiled_->model)) score = unigram->score(content, word.begin, tokens);
      else if (const SentencePieceModel* pieces = compiled_->sentencepiece()) score = pieces->score(content, word.begin, tokens);
      else compiled_->tokenize(content, word.begin, tokens);
      if (compiled_->sentencepiece() && kind() != TokenizerKind::unigram) score.reset();
      trace.steps.push_back({index, shown(tokens, words, compiled_->vocabulary()), std::nullopt, score});
    }
  }
  return trace;
}

}  // namespace webformer
