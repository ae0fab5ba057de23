#include "decoding/config.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace webformer {

namespace {

constexpr std::int64_t most = (std::int64_t{1} << 53) - 1;  // the whole numbers that JavaScript has
constexpr std::int64_t most_logits = std::int64_t{1} << 28;  // of one step, over all sequences: 1 GiB

[[noreturn]] void refuse(std::string_view name, const std::string& found, std::string_view expected) {
  throw Error(Code::invalid_argument, "{}: {} found, {} expected", name, found, expected).with("option", name).with("found", found);
}

std::string spelled(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return to_text(value);
}

void need(bool holds, std::string_view name, double found, std::string_view expected) {
  if (!holds) refuse(name, spelled(found), expected);
}

void need_within(std::string_view name, std::int64_t found, std::int64_t least, std::int64_t limit = most) {
  if (found < least || found > limit) refuse(name, to_text(found), format("{} to {}", least, limit));
}

void need_within(std::string_view name, const std::optional<std::int64_t>& found, std::int64_t least) {
  if (found) need_within(name, *found, least);
}

void need_ids(std::string_view name, const std::vector<std::int32_t>& ids, std::int64_t vocab_size) {
  for (const std::int32_t id : ids) need_within(name, id, 0, vocab_size - 1);
}

void need_id(std::string_view name, const std::optional<std::int32_t>& id, std::int64_t vocab_size) {
  if (id) need_within(name, *id, 0, vocab_size - 1);
}

void check_lengths(const GenerationConfig& c) {
  need_within("maxNewTokens", c.max_new_tokens, 0);
  need_within("maxLength", c.max_length, 0);
  need_within("minNewTokens", c.min_new_tokens, 0);
  need_within("minLength", c.min_length, 0);
}

void check_choice(const GenerationConfig& c) {
  need(std::isfinite(c.temperature) && c.temperature >= 0, "temperature", c.temperature, "a finite number, at least 0,");
  need_within("topK", c.top_k, 0);
  need(c.top_p >= 0 && c.top_p <= 1, "topP", c.top_p, "0 to 1");
  if (c.min_p) need(*c.min_p >= 0 && *c.min_p <= 1, "minP", *c.min_p, "0 to 1");
  need(c.typical_p > 0 && c.typical_p <= 1, "typicalP", c.typical_p, "more than 0, up to 1,");
  need_within("seed", c.seed, 0);
  need(std::isfinite(c.repetition_penalty) && c.repetition_penalty > 0, "repetitionPenalty", c.repetition_penalty,
       "a finite number above 0");
  need_within("noRepeatNgramSize", c.no_repeat_ngram_size, 0);
}

void check_tokens(const GenerationConfig& c, std::int64_t vocab_size) {
  need_ids("eosTokenId", c.eos_token_id, vocab_size);
  need_id("decoderStartTokenId", c.decoder_start_token_id, vocab_size);
  need_id("forcedBosTokenId", c.forced_bos_token_id, vocab_size);
  need_ids("forcedEosTokenId", c.forced_eos_token_id, vocab_size);
  for (const auto& word : c.bad_words_ids) {
    if (word.empty()) refuse("badWordsIds", "an empty list", "at least one id a word");
    need_ids("badWordsIds", word, vocab_size);
  }
}

void check_beams(const GenerationConfig& c, const GenerationSize& size) {
  need_within("numBeams", c.num_beams, 1, size.vocab_size);
  need(std::isfinite(c.length_penalty), "lengthPenalty", c.length_penalty, "a finite number");
  need_within("numReturnSequences", c.num_return_sequences, 1, c.num_beams > 1 ? c.num_beams : most);
  if (c.num_beams == 1 && !c.samples() && c.num_return_sequences > 1) {
    refuse("numReturnSequences", to_text(c.num_return_sequences), "1 without numBeams or doSample");
  }
  const std::int64_t room = most_logits / size.vocab_size / std::max<std::int64_t>(size.prompts, 1);
  need_within(c.num_beams > 1 ? "numBeams" : "numReturnSequences", std::max(c.num_beams, c.num_return_sequences), 1,
              std::max<std::int64_t>(room, 1));
}

}  // namespace

void check(const GenerationConfig& c, const GenerationSize& size) {
  if (!c.unsupported.empty()) {
    std::string names;
    for (const std::string& setting : c.unsupported) names += (names.empty() ? "" : ", ") + setting;
    throw Error(Code::invalid_argument, "settings of the checkpoint that are not supported: {}", names).with("option", names);
  }
  check_lengths(c);
  check_choice(c);
  check_tokens(c, size.vocab_size);
  check_beams(c, size);
  need_within("topCandidates", c.top_candidates, 0);
  for (const std::string& text : c.stop_strings) {
    if (text.empty()) refuse("stop", "\"\"", "a text of at least one character");
  }
  if (!c.stop_strings.empty() && !size.has_tokenizer) {
    throw Error(Code::invalid_argument, "stop: the model has no tokenizer to find texts with").with("option", "stop");
  }
}

}  // namespace webformer
