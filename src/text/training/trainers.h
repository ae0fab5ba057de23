#pragma once
// The contract of this folder: texts to a TokenizerSpec (text/spec.h), which Tokenizer::compile() and write_tokenizer_json() take.
//
//   TokenizerTrainer trainer(TrainerKind::bpe, {.vocab_size = 8000});
//   for (const std::string& text : texts) trainer.feed(text);
//   Schedule schedule;
//   const Tokenizer tokenizer = Tokenizer::compile(Job(schedule, trainer.train(schedule)).finish());
//
// What is learnt, in which order and with which ids, is as in Hugging Face's tokenizers (tokenizers/src/models/*/trainer.rs), and for the
// two SentencePiece kinds as in SentencePiece (src/*_model_trainer.cc). Where the first of these leaves an order to a hash map, words count
// in the order of their first occurrence.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task.h"
#include "text/spec.h"

namespace webformer {

enum class TrainerKind : std::uint8_t {
  word,                   ///< whole words, the most frequent first
  character,              ///< every code point
  bpe,                    ///< Sennrich et al. 2016, https://arxiv.org/abs/1508.07909
  byte_bpe,               ///< BPE over bytes, as GPT-2
  wordpiece,              ///< BPE's merges, applied by the longest match, as BERT's vocabularies
  unigram,                ///< Kudo 2018, https://arxiv.org/abs/1804.10959
  sentencepiece_bpe,      ///< https://arxiv.org/abs/1808.06226
  sentencepiece_unigram,
};

/// "word", "char", "bpe", "byte-bpe", …: as the API spells them.
std::string_view name(TrainerKind kind);
std::optional<TrainerKind> trainer_kind_of(std::string_view name);

inline constexpr std::size_t max_trained_tokens = 1u << 24;

/// An option that a kind has no use for is refused with invalid_argument.
struct TrainerOptions {
  std::size_t vocab_size = 0;       ///< special tokens and the alphabet included; the alphabet is kept even where it is larger
  std::uint64_t min_frequency = 0;  ///< of words (word, character) or of pairs (bpe, byte_bpe, wordpiece)
  std::vector<std::string> special_tokens;  ///< the first ids, in this order
  /// Put before the special tokens where it is not one of them. Absent: "<unk>" ("[UNK]" for wordpiece), but none for bpe and byte_bpe.
  std::optional<std::string> unknown_token;
  std::optional<std::size_t> limit_alphabet;  ///< the most frequent characters (BPE and its kin)
  std::vector<std::string> initial_alphabet;  ///< the first character of each is in the alphabet (BPE and its kin)
  std::optional<std::size_t> max_token_length;  ///< in characters: 16 where absent (unigram, sentencepiece); for bpe see below
  std::optional<std::string> end_of_word_suffix, continuing_prefix;  ///< bpe; the prefix for wordpiece too, "##" where absent
  std::optional<std::vector<Normalizer>> normalizers;                ///< absent: by kind
  std::optional<std::vector<PreTokenizer>> pre_tokenizers;           ///< absent: by kind
};
// max_token_length L of BPE lets a pair in only if the lengths of its two sides, in characters of the alphabet, sum to less than L; pairs
// of single characters are always let in. This is how tokenizers counts.

/// How far train() is, in units of its own; `total` may grow while it is not known.
struct TrainingProgress {
  std::uint64_t done = 0, total = 1;
};

class WordCounts;
class TextToWords;

/// Keeps the words of what it is fed and their counts, not the texts.
class TokenizerTrainer {
 public:
  /// Throws invalid_argument for options out of their bounds or of no use to this kind, and what Tokenizer::compile() throws for stages.
  TokenizerTrainer(TrainerKind kind, TrainerOptions options);
  ~TokenizerTrainer();

  /// One text: words do not go on from one to the next. Malformed UTF-8 becomes U+FFFD.
  void feed(std::string_view text);
  /// Stops now and then (schedule.breathe()). Once only. Throws invalid_argument where there is nothing to learn from, and for the
  /// SentencePiece kinds where the vocabulary has no room for all characters, or the texts cannot fill it.
  Task<TokenizerSpec> train(Schedule& schedule);
  TrainingProgress progress() const noexcept { return progress_; }

 private:
  TokenizerSpec base_spec() const;

  TrainerKind kind_;
  TrainerOptions options_;
  std::unique_ptr<TextToWords> to_words_;
  std::unique_ptr<WordCounts> words_;
  TrainingProgress progress_;
};

}  // namespace webformer
